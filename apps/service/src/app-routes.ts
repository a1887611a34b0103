import { actionContractRoutes, actionRunRoutes } from "./actions/actions.ts";
import { assistantRoutes } from "./ai/assistant/assistant.ts";
import { auditRoutes } from "./audit/audit.ts";
import { connectorRunRoutes } from "./connectors/runtime/connector-runs.ts";
import { connectorRoutes } from "./connectors/connectors.ts";
import { contactRoutes } from "./contacts/contacts.ts";
import { deliverRoutes } from "./webhooks/deliveries/deliver.ts";
import { eventRoutes } from "./events/events.ts";
import { keyInsightRoutes } from "./gate/gate.ts";
import { healthRoutes } from "./server/http/http.ts";
import { requestRoutes } from "./access/request-log/request-log.ts";
import { streamRoutes } from "./insights/live/live.ts";
import { attentionRoutes, usageRoutes } from "./insights/usage/usage.ts";
import { inboundRoutes } from "./webhooks/sources/inbound.ts";
import { createMcp, mcpRoutes } from "./ai/mcp/mcp.ts";
import type { Mcp } from "./ai/mcp/mcp.ts";
import { ruleRoutes } from "./automation/rules/rules.ts";
import { inboxRoutes, namedInboxRoutes, testerRoutes } from "./webhooks/tester/tester.ts";
import { createInstallation, installationRoutes } from "./operator/commands/setup.ts";
import type { SelfTest } from "./operator/self-test/self-test.ts";
import type { Tester } from "./webhooks/tester/tester.ts";
import { workflowRoutes } from "./automation/workflows/workflows.ts";
import { keyRoutes, peopleRoutes, setupRoutes } from "./accounts/workspaces/workspaces.ts";
import type { App as Http } from "./accounts/workspaces/workspaces.ts";
import type { Core } from "./app-core.ts";
import type { Flow } from "./app-flow.ts";

/** What the routes speak for. */
export interface Mounted {
  readonly core: Core;
  readonly flow: Flow;
  readonly tester: Tester;
  readonly selfTest: SelfTest;
  isDraining(): boolean;
}

/** Every route that this process has, by its roles. */
export function mount(app: Http, { core, flow, tester, selfTest, isDraining }: Mounted): void {
  const { deps, db, telemetry, workspaces } = core;
  healthRoutes(app, {
    checks: { database: async () => (await db.now()) > 0, accepting: async () => await Promise.resolve(!isDraining()) },
    selfTest: selfTest.current,
    version: deps.version,
    metrics: telemetry.metrics,
    metricsToken: deps.config.metricsToken,
  });
  setupRoutes(app, workspaces);
  // A worker delivers to the inbox through its own listener, so it has it too.
  inboxRoutes(app, tester);
  if (!deps.config.roles.api) return;
  keyRoutes(app, workspaces);
  peopleRoutes(app, core.people);
  keyInsightRoutes(app, core.gate);
  installationRoutes(app, createInstallation({ ...core, ...deps.config, version: deps.version.version }));
  requestRoutes(app, core.requests);
  usageRoutes(app, core.usage);
  auditRoutes(app, core.audit);
  contactRoutes(app, core.contacts);
  eventRoutes(app, {
    events: flow.events,
    reactionsOf: async (scope, event) => ({
      stages: await flow.dispatch.stages(scope, event.id),
      deliveries: await flow.deliver.ofEvent(scope, event.id),
    }),
    whoReacts: async (scope, name) => await flow.dispatch.whoReacts(scope, name),
  });
  deliverRoutes(app, flow.deliver);
  core.news.tellBy({
    ...flow.deliver.insight.news,
    receipt: flow.inbound.receipts.news,
    proposal: flow.actions.insight.news,
  });
  streamRoutes(app, core);
  attentionRoutes(app, {
    ...flow.deliver.insight.attention,
    proposals: flow.actions.insight.attention,
    receipts: flow.inbound.receipts.attention,
    self_test: async () => await Promise.resolve(selfTest.latest() ?? null),
  });
  actionContractRoutes(app, flow.contracts);
  actionRunRoutes(app, flow.actions);
  assistantRoutes(app, flow.assistant);
  connectorRoutes(app, flow.connectors);
  connectorRunRoutes(app, flow.connectorRuns);
  ruleRoutes(app, flow.rules);
  inboundRoutes(app, flow.inbound);
  workflowRoutes(app, flow.workflows);
  testerRoutes(app, tester);
  namedInboxRoutes(app, tester.named);
  mcpRoutes(app, mcpOf(core, flow));
}

function mcpOf(core: Core, { contracts, actions }: Flow): Mcp {
  const { config, version } = core.deps;
  return createMcp({
    ...core,
    registry: contracts.registry,
    runs: actions,
    baseUrl: config.baseUrl,
    version: version.version,
  });
}
