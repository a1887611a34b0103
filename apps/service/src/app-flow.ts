import { join } from "node:path";
import { callBackend, createActionRuns, createContracts, readWaiter } from "./actions/actions.ts";
import type { ActionHandler, ActionRuns, AwaitedAction, Contracts } from "./actions/actions.ts";
import { createAssistant } from "./ai/assistant/assistant.ts";
import type { Assistant } from "./ai/assistant/assistant.ts";
import { createConnectorRuns } from "./connectors/runtime/connector-runs.ts";
import type { ConnectorRuns } from "./connectors/runtime/connector-runs.ts";
import { createConnectors } from "./connectors/connectors.ts";
import type { Connectors } from "./connectors/connectors.ts";
import type { Tx } from "./platform/db/db.ts";
import { createDeliver, sealPlainEndpoints } from "./webhooks/deliveries/deliver.ts";
import type { Deliver, OwnInboxes } from "./webhooks/deliveries/deliver.ts";
import { createDispatch } from "./dispatch/dispatch.ts";
import type { Dispatch, DispatchDeps, DispatchedEvent } from "./dispatch/dispatch.ts";
import { createEvents, readStoredEvents } from "./events/events.ts";
import type { Events } from "./events/events.ts";
import { createHosts, nodeBackend, phpBackends } from "./connectors/sandbox/hosts.ts";
import type { Hosts } from "./connectors/sandbox/hosts.ts";
import { createInbound } from "./webhooks/sources/inbound.ts";
import type { Inbound } from "./webhooks/sources/inbound.ts";
import { environmentOf, fromDate } from "./lib/lib.ts";
import type { Tag, Uuid } from "./lib/lib.ts";
import { createRules, createRuleSubscriber, ruleSecretSource, sealPlainRules } from "./automation/rules/rules.ts";
import type { Capabilities, Rules } from "./automation/rules/rules.ts";
import { createWorkflows, sealPlainWorkflows, workflowSecretSource } from "./automation/workflows/workflows.ts";
import type { Workflows } from "./automation/workflows/workflows.ts";
import type { Scope } from "./accounts/workspaces/workspaces.ts";
import type { Core } from "./app-core.ts";

/** Events, what reacts to them, and what they lead to. */
export interface Flow {
  readonly events: Events;
  readonly dispatch: Dispatch;
  readonly deliver: Deliver;
  readonly contracts: Contracts;
  readonly actions: ActionRuns;
  readonly assistant: Assistant;
  readonly connectors: Connectors;
  readonly connectorRuns: ConnectorRuns;
  readonly hosts: Hosts;
  readonly inbound: Inbound;
  readonly rules: Rules;
  readonly workflows: Workflows;
}

/** Seals values of headers that an earlier version kept in plain. */
export async function sealPlainHeaders({ log, ...core }: Core): Promise<void> {
  const endpoints = await sealPlainEndpoints(core);
  const rules = await sealPlainRules(core);
  const workflow_versions = await sealPlainWorkflows(core);
  if (endpoints + rules + workflow_versions > 0)
    log.info({ endpoints, rules, workflow_versions }, "sealed header values that were stored in plain text");
}

/** What reacts to an event makes events, which are made after all that reacts: until then this stands for them. */
type EventsToCome = Pick<Events, "fireWithin" | "announce" | "announced">;

export function createFlow(core: Core): Flow {
  const { deps, db, clock, ids, gate, log, signals } = core;
  let made: Events | undefined;
  const toCome = eventsToCome(() => made);
  const deliver: Deliver = createDeliver({
    ...core,
    ladder: deps.config.ladder,
    baseUrl: deps.config.baseUrl,
    works: deps.config.roles.worker,
    announcer: toCome,
    outcomeWritten: () => workflows.wake(),
  });
  const { contracts, actions } = createActions(core, toCome, {
    inboxes: deliver.inboxes,
    workflows: () => workflows,
    handler: async (call) => await connectorRuns.handler(call),
  });
  const connecting = createConnecting(core, toCome, contracts);
  const { connectors, connectorRuns } = connecting;
  const workflows: Workflows = createWorkflows({
    ...core,
    events: toCome,
    posting: deliver.posting,
    ports: [...(deps.ports ?? []), ...actions.steps],
    works: deps.config.roles.worker,
  });
  const readEvents = eventReader(core);
  const assistant = createAssistant({
    ...core,
    history: core.audit.history,
    contracts,
    runs: actions,
    readEvent: async ({ bucket, tag }, id) => (await readEvents(bucket, [{ tag, id }])).get(id),
    workspaceSettings: async ({ workspaceId }) => await core.people.current.settings(workspaceId),
    works: deps.config.roles.worker,
  });
  const capabilities: Capabilities = {
    start_workflow: workflows.starting,
    run_action: actions.ruleActions,
    ...deps.capabilities,
  };
  const ruleSubscriber = createRuleSubscriber({ ...core, capabilities, posting: deliver.posting, events: toCome });
  const dispatch = createDispatch({
    ...core,
    subscribers: [
      ...(deps.subscribers ?? []),
      core.contacts.projection,
      ...connectorRuns.subscribers,
      ruleSubscriber,
      workflows.trigger,
      assistant.subscriber,
    ],
    deliveries: deliver,
    stageWaitMs: deps.config.stageWaitMs,
    readEvents,
  });
  const events = createEvents({ db, clock, ids, log, signals, idempotency: gate.idempotency, fanout: dispatch });
  made = events;
  const inbound = createInbound({ ...core, events, baseUrl: deps.config.baseUrl });
  core.secretSources.push(
    core.workspaces.keys.secrets,
    deliver.secrets,
    ruleSecretSource(core.sealer),
    workflowSecretSource(core.sealer),
    inbound.secrets,
    connectors.secrets,
  );
  const rules = createRules({ ...core, capabilities, posting: deliver.posting, events });
  return { ...connecting, events, dispatch, deliver, contracts, actions, assistant, inbound, rules, workflows };
}

/** Connectors' folders, the processes in which their code runs, and what they are called for. */
function createConnecting(
  core: Core,
  events: EventsToCome,
  contracts: Contracts,
): Pick<Flow, "hosts" | "connectors" | "connectorRuns"> {
  const { config } = core.deps;
  const hosts = createHosts({
    log: core.log,
    directory: join(config.dataDir, "connectors", "running"),
    backends: [nodeBackend(), ...phpBackends(config.php)],
    crashed: (program, kind) => connectorRuns.crashed(program.id, kind),
  });
  const connectors = createConnectors({
    ...core,
    hosts,
    dataDir: config.dataDir,
    baseUrl: config.baseUrl,
    folders: config.connectorFolders,
    trusted: config.connectorTrust,
    contracts: contracts.ofConnectors,
    healthOf: async (scope, keys) => await connectorRuns.runs.health(scope, keys),
  });
  const connectorRuns: ConnectorRuns = createConnectorRuns({
    ...core,
    hosts,
    connectors,
    events,
    mail: config.mail,
    works: config.roles.worker,
  });
  core.contacts.connect(connectorRuns.elsewhere);
  return { hosts, connectors, connectorRuns };
}

function eventsToCome(made: () => Events | undefined): EventsToCome {
  const events = (): Events => {
    const found = made();
    if (found === undefined) throw new Error("an event was fired while the service was being put together");
    return found;
  };
  return {
    fireWithin: async (tx, inputs) => await events().fireWithin(tx, inputs),
    announce: async (tx, announcement) => await events().announce(tx, announcement),
    announced: () => events().announced(),
  };
}

function createActions(
  core: Core,
  events: EventsToCome,
  others: {
    readonly inboxes: OwnInboxes;
    readonly workflows: () => Pick<Workflows, "resume">;
    readonly handler: ActionHandler;
  },
): { readonly contracts: Contracts; readonly actions: ActionRuns } {
  const { deps, gate } = core;
  const { workflows } = others;
  const contracts = createContracts({ ...core, ...others, isOperation: (name) => gate.operations.has(name) });
  core.secretSources.push(contracts.secrets.ofWorkspace);
  const actions = createActionRuns({
    ...core,
    events,
    idempotency: gate.idempotency,
    baseUrl: deps.config.baseUrl,
    backend: async (contract, call) => await callBackend({ ...core, ...others }, contract, call),
    awaited: async (tx, ended) => await resumeAwaiting(workflows(), tx, ended),
    works: deps.config.roles.worker,
  });
  gate.guardContracts(actions.guard);
  return { contracts, actions };
}

/** Workflows go on with what became of the actions, and the words, that they wait for. */
async function resumeAwaiting(
  { resume }: Pick<Workflows, "resume">,
  tx: Tx,
  ended: readonly AwaitedAction[],
): Promise<void> {
  for (const { scope, waiter, outcome, output } of ended) {
    const place = readWaiter(waiter);
    if (place === undefined) continue;
    const isDone = outcome === "executed" || outcome === "approved";
    await resume(
      tx,
      { ...place, scope },
      isDone ? { kind: "done", output } : { kind: "failed", error: `It ended as ${outcome}.`, output },
    );
  }
}

/** Reads events of one bucket that this node did not accept itself. */
function eventReader({ db, workspaces }: Core): DispatchDeps["readEvents"] {
  return async (bucket, places) => {
    const events = await readStoredEvents(db, bucket, places);
    const tags = [...new Set(events.map(({ tag }) => tag))];
    const scopes = new Map(
      await Promise.all(
        tags.map(async (tag): Promise<[Tag, Scope]> => {
          const workspaceId = await workspaces.idOfTag(tag);
          return [tag, { bucket, tag, workspaceId, environment: environmentOf(tag) }];
        }),
      ),
    );
    return new Map(
      events.flatMap((event): [Uuid, DispatchedEvent][] => {
        const scope = scopes.get(event.tag);
        const { id, name, data, chain, traceparent } = event;
        const occurredAt = fromDate(event.occurred_at);
        return scope === undefined
          ? []
          : [[id, { scope, id, name, data, occurredAt, chain: chain ?? [], traceparent }]];
      }),
    );
  };
}
