import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { RouterProvider as AriaRouterProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/api.ts";
import { App } from "./app.tsx";
import { consoleNavigation } from "./console-navigation.tsx";
import { createConsoleRouter } from "./router.tsx";
import "./styles.css";

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);
const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={queryClient} navigation={consoleNavigation(router)}>
        <AriaRouterProvider navigate={(to) => router.history.push(to)}>
          <RouterProvider router={router} />
        </AriaRouterProvider>
      </App>
    </StrictMode>,
  );
}
