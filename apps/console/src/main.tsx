import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/api.ts";
import { App } from "./app.tsx";
import { createConsoleRouter } from "./router.tsx";
import "./styles.css";

const queryClient = createQueryClient();
const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={queryClient} router={createConsoleRouter(queryClient)} />
    </StrictMode>,
  );
}
