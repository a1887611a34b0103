import { QueryClientProvider } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { I18nProvider } from "react-aria-components";
import { NavigationContext, ToastRegion } from "./ui/ui.ts";
import type { Navigation } from "./ui/ui.ts";

export interface AppProps {
  readonly queryClient: QueryClient;
  readonly navigation: Navigation;
  readonly children: ReactNode;
}

/** Provides to the pages of the console and of the portal what both need. */
export function App({ queryClient, navigation, children }: AppProps) {
  return (
    <I18nProvider locale="en">
      <QueryClientProvider client={queryClient}>
        <NavigationContext value={navigation}>{children}</NavigationContext>
        <ToastRegion />
      </QueryClientProvider>
    </I18nProvider>
  );
}
