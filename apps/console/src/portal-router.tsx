import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { paths } from "./paths.ts";
import { PortalFrame } from "./portal/portal.ts";
import type { ScreenRoute } from "./routes.ts";
import { parseSearch, searchText } from "./search-text.ts";
import { EmptyState, Link } from "./ui/ui.ts";

/** The console's screens that the portal has, each under the console's path. */
const screens: readonly ScreenRoute[] = [
  { path: "/", load: async () => await import("./features/endpoints/endpoints.tsx") },
  { path: "/endpoints", load: async () => await import("./features/endpoints/endpoints.tsx") },
  { path: "/endpoints/$id", load: async () => await import("./features/endpoints/endpoint.tsx") },
  { path: "/deliveries", load: async () => await import("./features/deliveries/deliveries.tsx") },
  { path: "/deliveries/$id", load: async () => await import("./features/deliveries/delivery.tsx") },
  { path: "/event-types", load: async () => await import("./features/events/public-types.tsx") },
  { path: "/event-types/$name", load: async () => await import("./features/events/public-type.tsx") },
];

/**
 * Creates the router of the portal. It keeps its place in memory, because the address belongs to the host page: a frame must not add
 * to the browser's history, and a reload needs a new session anyway.
 */
export function createPortalRouter() {
  const root = createRootRoute({ component: PortalFrame, notFoundComponent: Missing });
  const tree = root.addChildren(
    screens.map(({ path, load }) =>
      createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Screen") }),
    ),
  );
  return createRouter({
    routeTree: tree,
    history: createMemoryHistory({ initialEntries: [paths.endpoints] }),
    parseSearch,
    stringifySearch: searchText,
    scrollRestoration: false,
  });
}

function Missing() {
  return (
    <EmptyState title="Page not found" action={<Link to={paths.endpoints} look="primary">Show endpoints</Link>}>
      The portal has no such page.
    </EmptyState>
  );
}
