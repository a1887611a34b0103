import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/api.ts";
import { App } from "./app.tsx";
import { startPortal } from "./portal/portal.ts";
import { createPortalRouter } from "./portal-router.tsx";
import "./styles.css";

const queryClient = createQueryClient();
startPortal(queryClient);
const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={queryClient} router={createPortalRouter()} />
    </StrictMode>,
  );
}
