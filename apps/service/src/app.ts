import type { ActionRuns } from "./actions/actions.ts";
import type { Audit } from "./audit/audit.ts";
import { lastBackupSeconds } from "./operator/backup/backup.ts";
import type { Connectors } from "./connectors/connectors.ts";
import type { Contacts } from "./contacts/contacts.ts";
import type { Db } from "./platform/db/db.ts";
import type { Deliver } from "./webhooks/deliveries/deliver.ts";
import type { Events } from "./events/events.ts";
import { createHttp } from "./server/http/http.ts";
import type { Inbound } from "./webhooks/sources/inbound.ts";
import type { News } from "./insights/live/live.ts";
import type { Telemetry } from "./platform/telemetry/telemetry.ts";
import { createSelfTest } from "./operator/self-test/self-test.ts";
import type { SelfTest } from "./operator/self-test/self-test.ts";
import { createTester } from "./webhooks/tester/tester.ts";
import type { Tester } from "./webhooks/tester/tester.ts";
import { createKeyExpiry, createSweep } from "./accounts/workspaces/workspaces.ts";
import type { App as Http, People, Workspaces } from "./accounts/workspaces/workspaces.ts";
import type { Workflows } from "./automation/workflows/workflows.ts";
import { createCore } from "./app-core.ts";
import type { Core, ServiceDeps } from "./app-core.ts";
import { createFlow, sealPlainHeaders } from "./app-flow.ts";
import type { Flow } from "./app-flow.ts";
import { mount } from "./app-routes.ts";

export type { ServiceDeps } from "./app-core.ts";

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
  readonly selfTest: SelfTest;
  readonly workflows: Workflows;
  readonly connectors: Connectors;
  readonly news: News;
  readonly telemetry: Telemetry;
  start(): Promise<void>;
  /** Stops accepting, lets what is under way end, gives leases back. */
  stop(): Promise<void>;
}

/** The composition root: it and its parts beside it are the only place that constructs. */
export async function createService(deps: ServiceDeps): Promise<Service> {
  const core = await createCore(deps);
  const { db, telemetry } = core;
  const flow = createFlow(core);
  const { baseUrl } = deps.config;
  const tester = createTester({
    ...core,
    baseUrl,
    endpoints: flow.deliver.endpoints,
    contracts: flow.contracts,
    ownInboxes: flow.deliver.inboxes,
  });
  const selfTest = createSelfTest({ ...core, events: flow.events, deliver: flow.deliver, tester });
  const sweep = createSweep({ current: core.people.current, log: telemetry.log });
  const expiry = createKeyExpiry({ ...core, log: telemetry.log, announce: flow.events.announce });
  let draining = false;
  const http = await createHttp(
    {
      ...core,
      ...deps.config,
      ...lingering(deps),
      version: deps.version.version,
      contractsFor: flow.contracts.registry.callable,
    },
    (app) => mount(app, { core, flow, tester, selfTest, isDraining: () => draining }),
  );
  watch(core, flow, selfTest);
  return {
    db,
    http,
    tester,
    selfTest,
    telemetry,
    news: core.news,
    workspaces: core.workspaces,
    people: core.people,
    audit: core.audit,
    contacts: core.contacts,
    events: flow.events,
    deliver: flow.deliver,
    actions: flow.actions,
    inbound: flow.inbound,
    workflows: flow.workflows,
    connectors: flow.connectors,
    ...lifeOf({ core, flow, http, tester, selfTest, sweep, expiry }, () => (draining = true)),
  };
}

function lingering({ lingerMs }: ServiceDeps): { readonly lingerMs?: number } {
  return lingerMs === undefined ? {} : { lingerMs };
}

interface Parts {
  readonly tester: Tester;
  readonly core: Core;
  readonly flow: Flow;
  readonly http: Http;
  readonly selfTest: SelfTest;
  readonly sweep: ReturnType<typeof createSweep>;
  readonly expiry: ReturnType<typeof createKeyExpiry>;
}

function lifeOf(
  { core, flow, http, tester, selfTest, sweep, expiry }: Parts,
  drain: () => void,
): Pick<Service, "start" | "stop"> {
  return {
    async start() {
      await sealPlainHeaders(core);
      core.keyUsage.start();
      core.usage.start();
      core.requests.start();
      await core.news.start();
      await flow.connectors.start();
      await flow.connectorRuns.start();
      await flow.deliver.start();
      flow.dispatch.start();
      flow.events.start();
      await flow.workflows.start();
      flow.actions.start();
      flow.assistant.start();
      if (core.deps.config.roles.worker) {
        sweep.start();
        tester.tokenSealing.start();
        expiry.start();
        core.audit.digestWorker.start();
      }
    },
    async stop() {
      drain();
      await selfTest.stop();
      await tester.tokenSealing.stop();
      // Streams end only when they are told to.
      await core.news.stop();
      await http.close();
      await core.keyUsage.stop();
      await core.requests.stop();
      await expiry.stop();
      await core.audit.digestWorker.stop();
      await flow.events.stop();
      await flow.dispatch.stop();
      await flow.connectorRuns.stop();
      await flow.workflows.stop();
      await flow.assistant.stop();
      await flow.actions.stop();
      await flow.deliver.stop();
      await flow.hosts.stop();
      await sweep.stop();
      // Last: what ends on the way is counted too.
      await core.usage.stop();
      await core.traces.stop();
      await core.net.close();
      await core.db.close();
    },
  };
}

/** What the metrics ask of the parts when they are read. */
function watch({ db, telemetry }: Core, flow: Flow, selfTest: SelfTest): void {
  telemetry.watch({
    oldestDueAgeSeconds: flow.deliver.oldestDueAgeSeconds,
    pendingDeliveries: flow.deliver.pendingDeliveries,
    inFlight: () => flow.deliver.stats().inFlight,
    queued: () => flow.deliver.stats().waiting,
    openProposals: flow.actions.openProposals,
    actionsInFlight: flow.actions.inFlight,
    connectorProcesses: flow.hosts.report,
    pool: () => db.stats(),
    selfTest: selfTest.last,
    lastBackupSeconds: async () => await lastBackupSeconds(db.query),
  });
}
