import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/api.ts";
import { App } from "./app.tsx";
import { PortalFrame, portalNavigation, PortalPlace, startPortal } from "./portal/portal.ts";
import { loadFirstScreen, PortalScreen } from "./portal-router.tsx";
import "./styles.css";

const queryClient = createQueryClient();
startPortal(queryClient);
loadFirstScreen();
const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={queryClient} navigation={portalNavigation}>
        <PortalPlace>
          <PortalFrame>
            <PortalScreen />
          </PortalFrame>
        </PortalPlace>
      </App>
    </StrictMode>,
  );
}
