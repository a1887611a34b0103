import { createAudit, sealedByAudit } from "./audit.ts";
import { auditRoutes } from "./audit.routes.ts";
import { defineModule } from "../composition/module.ts";
import { only } from "../composition/points.ts";
import { platform } from "../platform/platform.module.ts";

/** The append-only audit log and the AI history. */
export const audit = defineModule({
  name: "audit",
  needs: { platform },
  encryptedColumns: sealedByAudit,
  create: ({ platform: base }, { points }) =>
    createAudit({
      ...base,
      secretSources: points.redactionSources,
      addedSecrets: async (...asked) => await only("addedSecrets", points.addedSecrets())(...asked),
    }),
  provides: (made) => ({
    auditPorts: [made.telling],
    routes: [(app) => auditRoutes(app, made)],
    workers: [
      { name: "audit digests", phase: "effects", workerOnly: true, ...made.digestWorker },
      { name: "activity of AI clients", phase: "records", ...made.activityWorker },
    ],
  }),
});
