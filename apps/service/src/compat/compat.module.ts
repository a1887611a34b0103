import { access } from "../access/access.module.ts";
import { defineModule } from "../composition/module.ts";
import { events } from "../events/events.module.ts";
import { platform } from "../platform/platform.module.ts";
import { portal } from "../portal/portal.module.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";
import { createImports } from "./imports/imports.ts";
import { importRoutes } from "./imports/imports.routes.ts";
import { svixRoutes } from "./svix/svix.routes.ts";

/** The calls of programs of other products, translated to the domains. No other module needs this one. */
export const compat = defineModule({
  name: "compat",
  needs: { platform, access, portal, events, webhooks },
  create({
    platform: base,
    access: { accessChecks },
    portal: { sessions },
    events: { events: fired, types },
    webhooks: { deliver, tenants },
  }) {
    return { ...base, accessChecks, portal: sessions, events: fired, types, deliver, tenants };
  },
  provides: (deps) => ({
    routes: [(app) => svixRoutes(app, deps), (app) => importRoutes(app, createImports(deps))],
  }),
});
