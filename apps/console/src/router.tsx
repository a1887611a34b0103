import type { QueryClient } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { read, whenSessionEnds } from "./api/api.ts";
import { Root } from "./console-navigation.tsx";
import { paths } from "./paths.ts";
import { publicRoutes, routes } from "./routes.ts";
import type { ScreenRoute } from "./routes.ts";
import { sessionQuery } from "./session/session.ts";
import { MissingPage } from "./shell/shell.ts";
import { ErrorState } from "./ui/ui.ts";

/** Creates the router for `routes.ts`. A user whose session has ended is sent to the sign-in page, and back to the same page afterwards. */
export function createConsoleRouter(queryClient: QueryClient) {
  const root = createRootRoute({ component: Root, notFoundComponent: MissingPage });
  const shell = createRoute({
    id: "shell",
    getParentRoute: () => root,
    component: lazyRouteComponent(loadShell, "Shell"),
  });
  const tree = root.addChildren([
    ...publicRoutes.map((route) => createRoute({ getParentRoute: () => root, ...optionsOf(route) })),
    shell.addChildren(routes.map((route) => createRoute({ getParentRoute: () => shell, ...optionsOf(route) }))),
  ]);
  const router = createRouter({
    routeTree: tree,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: searchText,
    defaultPreload: "intent",
    defaultErrorComponent: RouteFailed,
    scrollRestoration: true,
  });
  const isPublic = (pathname: string): boolean => publicRoutes.some((route) => route.path === pathname);
  const { pathname: opened } = window.location;
  // These requests run while the page's own code loads.
  if (!isPublic(opened)) {
    void queryClient.prefetchQuery(sessionQuery);
    void queryClient.prefetchQuery(read("roles.list"));
    routes.find(({ path }) => path === opened)?.prefetch?.(queryClient);
  }
  whenSessionEnds(() => {
    const { pathname, href } = router.state.location;
    if (isPublic(pathname)) return;
    queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
    void router.navigate({
      to: paths.signIn,
      search: href === "/" ? {} : { next: href },
      replace: true,
      ignoreBlocker: true,
    });
  });
  return router;
}

/** Loads the shell lazily, so that the sign-in page does not wait for it. */
const loadShell = async () => await import("./shell/layout.tsx");

function optionsOf({ path, load }: ScreenRoute) {
  return { path, component: lazyRouteComponent(load, "Screen") };
}

/** Shows that a page's code could not be fetched, most often because a newer version was installed, or that it failed. */
function RouteFailed({ error }: ErrorComponentProps) {
  return <ErrorState error={error} onRetry={() => window.location.reload()} />;
}

function searchText(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
