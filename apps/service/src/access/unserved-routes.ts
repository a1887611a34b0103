import Fastify from "fastify";
import type { App } from "../accounts/accounts.ts";
import { accessHooks } from "./access-checks.routes.ts";
import type { AccessChecks } from "./access-checks.ts";
import { collectOperations } from "./operation-table.ts";

/** Mounts routes where no request can reach them, so that a node that does not serve the API can run their operations. */
export function unservedRoutes(accessChecks: AccessChecks, routes: readonly ((app: App) => void)[]): App {
  const app: App = Fastify({ exposeHeadRoutes: false });
  accessHooks(app, accessChecks);
  collectOperations(app);
  for (const mount of routes) mount(app);
  return app;
}
