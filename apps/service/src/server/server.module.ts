import { accounts } from "../accounts/accounts.module.ts";
import { access } from "../access/access.module.ts";
import { actions } from "../actions/actions.module.ts";
import { healthRoutes } from "./http/health.routes.ts";
import { createHttp } from "./http/http.ts";
import { defineModule } from "../composition/module.ts";
import { events } from "../events/events.module.ts";
import { asyncApiRoutes } from "./openapi/documents.routes.ts";
import { operator } from "../operator/operator.module.ts";
import { platform, settings } from "../platform/platform.module.ts";

/** The HTTP server, with the routes of all modules. */
export const server = defineModule({
  name: "server",
  needs: { settings, platform, accounts, access, actions, events, operator },
  readsPoints: true,
  async create(
    {
      settings: { lingerMs, warmsUp = true },
      platform: base,
      accounts: { people },
      access: { accessChecks },
      actions: { contracts },
      events: { types },
      operator: { selfTest },
    },
    { points, isStopping },
  ) {
    const { config, db, telemetry } = base;
    const routes = config.roles.api ? [...points.innerRoutes(), ...points.routes()] : points.innerRoutes();
    return await createHttp(
      {
        ...base,
        ...config,
        ...(lingerMs === undefined ? {} : { lingerMs }),
        warmsUp,
        accessChecks,
        version: base.version.version,
        contractsFor: contracts.registry.callable,
        portalOrigins: async (workspaceId) => (await people.current.settings(workspaceId)).portal_origins,
      },
      (app) => {
        healthRoutes(app, {
          checks: {
            database: async () => (await db.now()) > 0,
            accepting: async () => await Promise.resolve(!isStopping()),
          },
          selfTest: selfTest.current,
          version: base.version,
          metrics: telemetry.metrics,
          metricsToken: config.metricsToken,
        });
        asyncApiRoutes(app, { accessChecks, version: base.version.version, described: types.described });
        for (const mount of routes) mount(app);
      },
    );
  },
  provides: (http) => ({ workers: [{ name: "HTTP server", phase: "server", stop: async () => await http.close() }] }),
});
