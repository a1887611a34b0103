import { accounts } from "../accounts/accounts.module.ts";
import { createAccessChecks } from "./access-checks.ts";
import { sealedByAccess } from "./idempotency.ts";
import { keyInsightRoutes } from "./key-insight.routes.ts";
import { defineModule } from "../composition/module.ts";
import { only } from "../composition/points.ts";
import { platform } from "../platform/platform.module.ts";
import { createRequests } from "./request-log/request-log.ts";
import { requestRoutes } from "./request-log/request-log.routes.ts";

/** Checks access: authentication, permissions, rate limits and idempotency. It also writes the request log. */
export const access = defineModule({
  name: "access",
  needs: { platform, accounts },
  encryptedColumns: sealedByAccess,
  create({ platform: base, accounts: { workspaces, sessions, keyUsage } }, { points }) {
    const requests = createRequests(base);
    const accessChecks = createAccessChecks({
      ...base,
      workspaces,
      sessions,
      usage: keyUsage,
      requests,
      limits: base.config.limits,
      record: (tx, operation) => only("auditPorts", points.auditPorts()).operation(tx, operation),
      contracts: () => only("contractGuards", points.contractGuards()),
    });
    return { accessChecks, requests };
  },
  provides: ({ accessChecks, requests }) => ({
    routes: [(app) => keyInsightRoutes(app, accessChecks), (app) => requestRoutes(app, requests)],
    workers: [{ name: "request log", phase: "records", ...requests }],
    gauges: [{ unwrittenRequests: requests.waiting }],
  }),
});
