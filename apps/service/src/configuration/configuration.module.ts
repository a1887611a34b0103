import { access } from "../access/access.module.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { actions } from "../actions/actions.module.ts";
import { automation } from "../automation/automation.module.ts";
import { defineModule } from "../composition/module.ts";
import { events } from "../events/events.module.ts";
import { platform } from "../platform/platform.module.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";
import { createConfiguration } from "./configuration.ts";
import { configurationRoutes } from "./configuration.routes.ts";
import { channelKind } from "./kinds/channels.ts";
import { contractKind } from "./kinds/contracts.ts";
import { endpointKind } from "./kinds/endpoints.ts";
import { eventTypeKind } from "./kinds/event-types.ts";
import { inboxKind } from "./kinds/inboxes.ts";
import { ruleKind } from "./kinds/rules.ts";
import { settingsKind } from "./kinds/settings.ts";
import { sourceKind } from "./kinds/sources.ts";
import { workflowKind } from "./kinds/workflows.ts";

/** The configuration of a workspace as one file: exported, compared, planned and applied. No other module needs this one. */
export const configuration = defineModule({
  name: "configuration",
  needs: { platform, accounts, access, events, webhooks, automation, actions },
  create: ({
    platform: base,
    accounts: { people, workspaces },
    access: { accessChecks },
    events: { types },
    webhooks: { deliver, inbound, tester },
    automation: { rules, workflows },
    actions: { contracts, channels, runs },
  }) =>
    createConfiguration({
      ...base,
      accessChecks,
      runs,
      keys: workspaces.keys,
      settings: people.current.settings,
      secrets: contracts.secrets,
      kinds: [
        eventTypeKind(types),
        inboxKind(tester),
        contractKind(contracts.registry),
        workflowKind(workflows),
        ruleKind(rules),
        sourceKind(inbound),
        endpointKind(deliver),
        channelKind(channels.channels),
        settingsKind(people),
      ],
    }),
  provides: (made) => ({
    routes: [(app) => configurationRoutes(app, made)],
    configurationHandlers: [made.runApproved],
  }),
});
