import { accounts } from "../accounts/accounts.module.ts";
import { defineModule } from "../composition/module.ts";
import { events } from "../events/events.module.ts";
import { mail } from "../platform/mail/mail.module.ts";
import { platform } from "../platform/platform.module.ts";
import { createIssues } from "./issues.ts";
import { issueRoutes } from "./issues.routes.ts";

/** The failures of endpoints, sources, connectors and actions, grouped for people. */
export const issues = defineModule({
  name: "issues",
  needs: { platform, mail, accounts, events },
  create({ platform: base, mail: mails, accounts: { workspaces }, events: { events: fired } }, { points }) {
    return createIssues({
      ...base,
      mail: mails,
      events: fired,
      objects: points.issueObjects,
      nameOf: workspaces.nameOf,
    });
  },
  provides: (made) => ({
    routes: [(app) => issueRoutes(app, made)],
    workers: [{ name: "issues", phase: "effects", start: made.start, stop: made.stop }],
    mailComposers: [made.mails],
    eventRecords: [made.ofTenants],
    attention: [{ issues: made.attention }],
    gauges: [{ openIssues: made.openByKind }],
  }),
});
