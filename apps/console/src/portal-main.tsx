import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/api.ts";
import { App } from "./app.tsx";
import { startPortal } from "./portal/portal.ts";
import { createPortalRouter } from "./portal-router.tsx";
import "./styles.css";

startPortal();
const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={createQueryClient()} router={createPortalRouter()} />
    </StrictMode>,
  );
}
