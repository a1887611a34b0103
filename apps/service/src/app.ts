import { hostname } from "node:os";
import {
  actionContractRoutes,
  actionRunRoutes,
  callBackend,
  createActionRuns,
  createContracts,
} from "./actions/actions.ts";
import type { ActionRuns, Contracts } from "./actions/actions.ts";
import { auditRoutes, createAudit } from "./audit/audit.ts";
import type { Audit, SecretSource } from "./audit/audit.ts";
import { contactRoutes, createContacts } from "./contacts/contacts.ts";
import type { Contacts } from "./contacts/contacts.ts";
import { createDb } from "./db/db.ts";
import type { Db } from "./db/db.ts";
import { createDeliver, deliverRoutes } from "./deliver/deliver.ts";
import type { Announcer, Deliver } from "./deliver/deliver.ts";
import { createDispatch } from "./dispatch/dispatch.ts";
import type { Dispatch, DispatchedEvent, Subscriber } from "./dispatch/dispatch.ts";
import { createEvents, eventRoutes, findEventType, readStoredEvent } from "./events/events.ts";
import type { Events } from "./events/events.ts";
import { createGate, keyInsightRoutes } from "./gate/gate.ts";
import type { Gate } from "./gate/gate.ts";
import { createHttp, healthRoutes } from "./http/http.ts";
import { createInbound, inboundRoutes } from "./inbound/inbound.ts";
import type { Inbound } from "./inbound/inbound.ts";
import { createIdMaker, createSealer, environmentOf, fromDate, randomText, systemClock } from "./kernel/kernel.ts";
import type { Clock, IdMaker, Sealer } from "./kernel/kernel.ts";
import { createMcp, mcpRoutes } from "./mcp/mcp.ts";
import type { Mcp } from "./mcp/mcp.ts";
import { createNet } from "./net/net.ts";
import type { Net } from "./net/net.ts";
import { createRules, createRuleSubscriber, ruleRoutes } from "./rules/rules.ts";
import type { Capabilities, Rules } from "./rules/rules.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { createTester, inboxRoutes, testerRoutes } from "./tester/tester.ts";
import type { Tester } from "./tester/tester.ts";
import {
  createKeyExpiry,
  createKeyUsage,
  createPeople,
  createSessions,
  createSweep,
  createWorkspaces,
  keyRoutes,
  peopleRoutes,
  setupRoutes,
} from "./workspaces/workspaces.ts";
import type { App as Http, KeyUsage, People, Workspaces } from "./workspaces/workspaces.ts";
import { createWorkflows, workflowRoutes } from "./workflows/workflows.ts";
import type { StepPort, Workflows } from "./workflows/workflows.ts";
import type { Config } from "./config.ts";

export interface ServiceDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly version: { readonly version: string; readonly node: string; readonly git_sha: string | null };
  readonly clock?: Clock;
  readonly telemetry?: Telemetry;
  /** Besides those that the service has itself. */
  readonly subscribers?: readonly Subscriber[];
  /** Besides what the service itself lets rules do. */
  readonly capabilities?: Capabilities;
  /** Besides those of workflows' steps that the service does itself. */
  readonly ports?: readonly StepPort[];
}

/** Everything there is, wired; nothing started yet. */
export interface Service {
  readonly db: Db;
  readonly http: Http;
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly audit: Audit;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly deliver: Deliver;
  readonly actions: ActionRuns;
  readonly inbound: Inbound;
  readonly tester: Tester;
  readonly workflows: Workflows;
  readonly telemetry: Telemetry;
  start(): Promise<void>;
  /** Stops accepting, lets what is under way end, gives leases back. */
  stop(): Promise<void>;
}

interface Core {
  readonly deps: ServiceDeps;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly telemetry: Telemetry;
  readonly db: Db;
  readonly net: Net;
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly usage: KeyUsage;
  readonly gate: Gate;
  readonly audit: Audit;
  /** Filled by those that keep secrets, as they are made. */
  readonly secretSources: SecretSource[];
  readonly contacts: Contacts;
}

const POOL_SIZE = 12;

/** The composition root: the only place that constructs. */
export async function createService(deps: ServiceDeps): Promise<Service> {
  const core = await createCore(deps);
  const { db, telemetry } = core;
  const flow = createFlow(core);
  const tester = createTester({
    ...core,
    ids: core.ids,
    baseUrl: deps.config.baseUrl,
    endpoints: flow.deliver.endpoints,
  });
  const sweep = createSweep({ current: core.people.current, log: telemetry.log });
  const expiry = createKeyExpiry({ ...core, log: telemetry.log, announce: flow.events.announce });
  let draining = false;
  const http = await createHttp(
    { ...core, log: telemetry.log, signals: telemetry.signals, ...deps.config, version: deps.version.version },
    (app) => {
      mount(app, { core, flow, tester, isDraining: () => draining });
    },
  );
  telemetry.watch({
    oldestDueAgeSeconds: flow.deliver.oldestDueAgeSeconds,
    pendingDeliveries: flow.deliver.pendingDeliveries,
    inFlight: () => flow.deliver.stats().inFlight,
    queued: () => flow.deliver.stats().waiting,
    openProposals: flow.actions.openProposals,
    actionsInFlight: flow.actions.inFlight,
    pool: () => db.stats(),
  });
  return {
    db,
    http,
    tester,
    telemetry,
    workspaces: core.workspaces,
    people: core.people,
    audit: core.audit,
    contacts: core.contacts,
    events: flow.events,
    deliver: flow.deliver,
    actions: flow.actions,
    inbound: flow.inbound,
    workflows: flow.workflows,
    async start() {
      core.usage.start();
      await flow.deliver.start();
      flow.dispatch.start();
      flow.events.start();
      await flow.workflows.start();
      flow.actions.start();
      if (deps.config.roles.worker) {
        sweep.start();
        expiry.start();
        core.audit.digestWorker.start();
      }
    },
    async stop() {
      draining = true;
      await http.close();
      await core.usage.stop();
      await expiry.stop();
      await core.audit.digestWorker.stop();
      await flow.events.stop();
      await flow.dispatch.stop();
      await flow.workflows.stop();
      await flow.actions.stop();
      await flow.deliver.stop();
      await sweep.stop();
      await core.net.close();
      await db.close();
    },
  };
}

async function createCore(deps: ServiceDeps): Promise<Core> {
  const { config, clock = systemClock } = deps;
  const telemetry = deps.telemetry ?? createTelemetry(config.logLevel);
  const ids = createIdMaker(clock);
  const sealer = createSealer(deps.masterKey);
  const db = createDb({ url: deps.databaseUrl, poolSize: POOL_SIZE, log: telemetry.log });
  const inbox = {
    origin: new URL(config.baseUrl).origin,
    pathPrefix: "/inbox/" as const,
    connectTo: { address: loopbackOf(config.host), port: config.port },
  };
  const net = createNet({ clock, allow: config.allowTargets, inbox, dnsServers: config.dnsServers });
  const secretSources: SecretSource[] = [];
  const instanceId = `${hostname()}/${randomText(8)}`;
  const audit = createAudit({
    ...deps,
    db,
    clock,
    ids,
    sealer,
    instanceId,
    logger: telemetry.log,
    secretSources: () => secretSources,
  });
  const { deed, note } = audit.telling;
  const workspaces = createWorkspaces({ db, clock, ids, sealer, note });
  const sessions = createSessions({ db, clock, ids, baseUrl: config.baseUrl });
  const people = createPeople({ db, clock, ids, sealer, ...config, sessions, workspaces, note, log: telemetry.log });
  const usage = createKeyUsage({ db, clock, log: telemetry.log });
  const gate = createGate({
    db,
    clock,
    sealer,
    workspaces,
    sessions,
    usage,
    limits: config.limits,
    record: deed,
    log: telemetry.log,
  });
  const contacts = createContacts({ db, clock, ids, titleOf: (name) => findEventType(name)?.title });
  return {
    deps,
    clock,
    ids,
    sealer,
    telemetry,
    db,
    net,
    workspaces,
    people,
    usage,
    gate,
    audit,
    secretSources,
    contacts,
  };
}

interface Flow {
  readonly events: Events;
  readonly dispatch: Dispatch;
  readonly deliver: Deliver;
  readonly contracts: Contracts;
  readonly actions: ActionRuns;
  readonly inbound: Inbound;
  readonly rules: Rules;
  readonly workflows: Workflows;
}

/** Events, what reacts to them, and their deliveries. Deliveries make system events, which is why the announcer closes over what comes after it. */
function createFlow(core: Core): Flow {
  const { deps, db, clock, ids, gate, telemetry } = core;
  const { log, signals } = telemetry;
  const announcer: Announcer = {
    announce: async (tx, announcement) => await events.announce(tx, announcement),
    announced: () => events.announced(),
  };
  const deliver = createDeliver({
    ...core,
    log,
    signals,
    ladder: deps.config.ladder,
    works: deps.config.roles.worker,
    announcer,
    outcomeWritten: () => workflows.wake(),
  });
  // Its steps fire events, which dispatch hands to it.
  const workflows = createWorkflows({
    ...core,
    log,
    events: { fireWithin: async (tx, inputs) => await events.fireWithin(tx, inputs) },
    posting: deliver.posting,
    ports: deps.ports ?? [],
    works: deps.config.roles.worker,
  });
  const capabilities: Capabilities = { start_workflow: workflows.starting, ...deps.capabilities };
  const ruleSubscriber = createRuleSubscriber({
    ...core,
    capabilities,
    events: { fireWithin: async (tx, inputs) => await events.fireWithin(tx, inputs) },
  });
  const dispatch = createDispatch({
    db,
    clock,
    ids,
    log,
    subscribers: [...(deps.subscribers ?? []), core.contacts.projection, ruleSubscriber, workflows.trigger],
    deliveries: deliver,
    stageWaitMs: deps.config.stageWaitMs,
    readEvent: async (scope, id): Promise<DispatchedEvent | undefined> => {
      const event = await readStoredEvent(db, scope, id);
      if (event === undefined) return undefined;
      return {
        scope: {
          ...scope,
          workspaceId: await core.workspaces.idOfTag(scope.tag),
          environment: environmentOf(scope.tag),
        },
        id,
        name: event.name,
        data: event.data,
        occurredAt: fromDate(event.occurred_at),
        chain: event.chain ?? [],
      };
    },
  });
  const events = createEvents({ db, clock, ids, log, signals, idempotency: gate.idempotency, fanout: dispatch });
  const contracts = createContracts({ ...core, isOperation: (name) => gate.operations.has(name) });
  const actions = createActionRuns({
    ...core,
    log,
    signals,
    events,
    idempotency: gate.idempotency,
    baseUrl: deps.config.baseUrl,
    backend: async (contract, call) => await callBackend(core, contract, call),
    awaited: async () => await Promise.resolve(),
    works: deps.config.roles.worker,
  });
  const inbound = createInbound({ ...core, log, signals, events, baseUrl: deps.config.baseUrl });
  const rules = createRules({ ...core, capabilities, events });
  return { events, dispatch, deliver, contracts, actions, inbound, rules, workflows };
}

interface Mounted {
  readonly core: Core;
  readonly flow: Flow;
  readonly tester: Tester;
  isDraining(): boolean;
}

function mount(app: Http, { core, flow, tester, isDraining }: Mounted): void {
  const { deps, db, telemetry, workspaces } = core;
  healthRoutes(app, {
    checks: { database: async () => (await db.now()) > 0, accepting: async () => await Promise.resolve(!isDraining()) },
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
  actionContractRoutes(app, flow.contracts);
  actionRunRoutes(app, flow.actions);
  ruleRoutes(app, flow.rules);
  inboundRoutes(app, flow.inbound);
  workflowRoutes(app, flow.workflows);
  testerRoutes(app, tester);
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

/** Where this process reaches itself, whatever it listens on. */
function loopbackOf(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}
