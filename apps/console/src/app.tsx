import { QueryClientProvider } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import type { AnyRouter } from "@tanstack/react-router";
import { RouterProvider as AriaRouterProvider, I18nProvider } from "react-aria-components";
import { ToastRegion } from "./ui/ui.ts";

export interface AppProps {
  readonly queryClient: QueryClient;
  readonly router: AnyRouter;
}

export function App({ queryClient, router }: AppProps) {
  return (
    <I18nProvider locale="en">
      <QueryClientProvider client={queryClient}>
        <AriaRouterProvider navigate={(to) => router.history.push(to)}>
          <RouterProvider router={router} />
        </AriaRouterProvider>
        <ToastRegion />
      </QueryClientProvider>
    </I18nProvider>
  );
}
