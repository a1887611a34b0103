import { contacts } from "../contacts/contacts.module.ts";
import { events } from "../events/events.module.ts";
import { defineModule } from "../composition/module.ts";
import { mail } from "../platform/mail/mail.module.ts";
import { findRules, findWorkflows } from "./search.store.ts";
import { platform } from "../platform/platform.module.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { notificationRoutes } from "./notifications/notifications.routes.ts";
import { createRules, sealedByRules, sealPlainRules } from "./rules/rules.ts";
import { ruleRoutes } from "./rules/rules.routes.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";
import { countOverdue, createScheduleWorker } from "./schedules/schedules.ts";
import { createWorkflows, sealedByWorkflows, sealPlainWorkflows } from "./workflows/workflows.ts";
import { workflowRoutes } from "./workflows/workflows.routes.ts";

/** Provides rules and workflows. */
export const automation = defineModule({
  name: "automation",
  needs: { platform, mail, contacts, events, webhooks },
  encryptedColumns: [...sealedByRules, ...sealedByWorkflows],
  create(
    { platform: base, mail: mails, contacts: people, events: { events: fired }, webhooks: { deliver } },
    { points },
  ) {
    const notifications = createNotifications({ ...base, mail: mails });
    const deps = {
      ...base,
      contacts: people,
      events: fired,
      ownedDeliveries: deliver.ownedDeliveries,
      ports: points.stepPorts,
    };
    return {
      schedules: createScheduleWorker(deps),
      notifications,
      workflows: createWorkflows(deps),
      rules: createRules({ ...deps, notifications }),
    };
  },
  provides: ({ rules, workflows, schedules, notifications }, { platform: base }) => ({
    routes: [
      (app) => ruleRoutes(app, rules),
      (app) => workflowRoutes(app, workflows),
      (app) => notificationRoutes(app, notifications),
    ],
    gauges: [{ overdueSchedules: async () => await countOverdue(base.db) }],
    workers: [
      { name: "workflows", phase: "effects", ...workflows },
      { name: "workflow schedules", phase: "effects", workerOnly: true, ...schedules },
    ],
    upgrades: [
      {
        of: "rules",
        done: "encrypted header values of rules that were stored in plain text",
        run: async () => await sealPlainRules(base),
      },
      {
        of: "workflow_versions",
        done: "encrypted header values of workflows that were stored in plain text",
        run: async () => await sealPlainWorkflows(base),
      },
    ],
    searchables: [
      { kind: "rule", operation: "rules.list", find: async (scope, sought) => await findRules(base.db, scope, sought) },
      {
        kind: "workflow",
        operation: "workflows.list",
        find: async (scope, sought) => await findWorkflows(base.db, scope, sought),
      },
    ],
    subscribers: [rules.subscriber, workflows.waiting, workflows.trigger],
    redactionSources: [rules.secrets, workflows.secrets],
    personalData: [rules.personal, workflows.personal, notifications.personal],
    // Workflows come first, so that none continues when its calls and proposals go.
    eventRecords: [workflows.ofTenants, rules.ofEvents, notifications.ofTenants],
    mailComposers: [{ notification: notifications.mail }],
    stepPorts: [workflows.starting],
    awaitedDeliveries: [workflows.wake],
  }),
});
