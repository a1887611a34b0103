import type { App } from "../../accounts/accounts.ts";
import { absentRoutes, healthRoute } from "./absent.routes.ts";
import { applicationRoutes } from "./applications.routes.ts";
import { attemptRoutes } from "./attempts.routes.ts";
import type { SvixDeps } from "./deps.ts";
import { endpointRoutes } from "./endpoints.routes.ts";
import { eventTypeRoutes } from "./event-types.routes.ts";
import { messageRoutes } from "./messages.routes.ts";
import { portalAccessRoutes } from "./portal.routes.ts";
import { createRoutes } from "./surface.routes.ts";

/**
 * The API of Svix under `/api/v1/` (contract, section 18): what its libraries call, for programs that change only the address and the
 * token.
 */
export function svixRoutes(app: App, deps: SvixDeps): void {
  const route = createRoutes(app, deps.accessChecks);
  applicationRoutes(route, deps);
  endpointRoutes(route, deps);
  messageRoutes(route, deps);
  attemptRoutes(route, deps);
  eventTypeRoutes(route, deps);
  portalAccessRoutes(route, deps);
  absentRoutes(route);
  healthRoute(app);
}
