import { access } from "../access/access.module.ts";
import { unservedRoutes } from "../access/access.ts";
import { noteAiKeys } from "./ai-key-requests.routes.ts";
import { accounts } from "../accounts/accounts.module.ts";
import { actions } from "../actions/actions.module.ts";
import { createAssistant, sealedByAssistant } from "./assistant/assistant.ts";
import { deleteTasksOf } from "./assistant/assistant.store.ts";
import { assistantRoutes } from "./assistant/assistant.routes.ts";
import { audit } from "../audit/audit.module.ts";
import { events } from "../events/events.module.ts";
import { connectedAppRoutes } from "./oauth/connected-apps.routes.ts";
import { createMcp } from "./mcp/mcp.ts";
import { createOAuth } from "./oauth/oauth.ts";
import { mcpRoutes } from "./mcp/mcp.routes.ts";
import { oauthRoutes } from "./oauth/oauth.routes.ts";
import { defineModule } from "../composition/module.ts";
import { platform } from "../platform/platform.module.ts";
import { deleteGone } from "../platform/db/db.ts";
import { createSweep } from "../platform/tasks/tasks.ts";
import { webhooks } from "../webhooks/webhooks.module.ts";

/** Connects AI models to events and actions: the assistant, and MCP with its OAuth. */
export const ai = defineModule({
  name: "ai",
  needs: { platform, accounts, access, audit, events, webhooks, actions },
  encryptedColumns: sealedByAssistant,
  create(
    {
      platform: base,
      accounts: { people, workspaces },
      access: { accessChecks },
      audit: audited,
      events: { events: fired, types, readEvents },
      webhooks: { deliver },
      actions: { contracts, runs, proposals },
    },
    { points },
  ) {
    const assistant = createAssistant({
      ...base,
      audit: audited,
      history: audited.history,
      contracts,
      runs,
      readEvent: async ({ bucket, tag }, id) => (await readEvents(bucket, [{ tag, id }])).get(id),
      workspaceSettings: async ({ workspaceId }) => await people.current.settings(workspaceId),
    });
    const mcp = createMcp({
      accessChecks,
      history: audited.history,
      registry: contracts.registry,
      keys: workspaces.keys,
      runs,
      proposals,
      events: fired,
      types,
      db: base.db,
      net: base.net,
      endpoints: deliver.endpoints,
      inboxes: deliver.inboxes,
      deliveries: deliver,
      note: audited.telling.note,
      clock: base.clock,
      log: base.log,
      baseUrl: base.baseUrl,
      unserved: () => unservedRoutes(accessChecks, points.routes()),
      version: base.version.version,
    });
    const oauth = createOAuth({
      ...base,
      accessChecks,
      keys: workspaces.keys,
      registry: contracts.registry,
      note: audited.telling.note,
    });
    return { assistant, mcp, oauth, history: audited.history };
  },
  provides: ({ assistant, mcp, oauth, history }, { platform: { log } }) => ({
    routes: [
      (app) => noteAiKeys(app, history),
      (app) => assistantRoutes(app, assistant),
      (app) => mcpRoutes(app, mcp),
      (app) => oauthRoutes(app, oauth),
      (app) => connectedAppRoutes(app, oauth),
    ],
    workers: [
      { name: "assistant", phase: "effects", ...assistant },
      { name: "tokens of apps", phase: "effects", workerOnly: true, ...oauth.cleanup },
      {
        name: "event subscriptions",
        phase: "effects",
        workerOnly: true,
        // Soon after a client's key, grant or right has ended.
        ...createSweep(log, { to: "end event subscriptions", everyMs: 5000, run: mcp.events.subscriptions.sweep }),
      },
      { name: "event streams", phase: "streams", stop: mcp.events.streams.stop },
    ],
    operationHandlers: [mcp.operator.run],
    subscribers: [assistant.subscriber],
    eventRecords: [
      { eraseOfEvents: async (tx, scope, ids) => await deleteTasksOf(tx, scope, ids) },
      { eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "ai_activity", scope, gone) },
    ],
    gauges: [
      {
        connectedApps: oauth.apps.count,
        mcpEventStreams: mcp.events.streams.count,
        mcpEventSubscriptions: mcp.events.subscriptions.count,
      },
    ],
  }),
});
