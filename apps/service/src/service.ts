import { access } from "./access/access.module.ts";
import { accounts } from "./accounts/accounts.module.ts";
import { actions } from "./actions/actions.module.ts";
import type { ActionWorkers } from "./actions/actions.ts";
import { ai } from "./ai/ai.module.ts";
import { audit } from "./audit/audit.module.ts";
import type { Audit } from "./audit/audit.ts";
import { automation } from "./automation/automation.module.ts";
import { compat } from "./compat/compat.module.ts";
import { configuration } from "./configuration/configuration.module.ts";
import { compose } from "./composition/compose.ts";
import type { Composed } from "./composition/compose.ts";
import { connectors } from "./connectors/connectors.module.ts";
import type { Connectors } from "./connectors/connectors.ts";
import { contacts } from "./contacts/contacts.module.ts";
import type { Contacts } from "./contacts/contacts.ts";
import type { Db } from "./platform/db/db.ts";
import type { Deliver, Inbound, Tester } from "./webhooks/webhooks.ts";
import { events } from "./events/events.module.ts";
import type { Events } from "./events/events.ts";
import { issues } from "./issues/issues.module.ts";
import { insights } from "./insights/insights.module.ts";
import { asWork } from "./lib/lib.ts";
import type { SealedColumn } from "./lib/lib.ts";
import type { Module } from "./composition/module.ts";
import type { News } from "./insights/insights.ts";
import { portal } from "./portal/portal.module.ts";
import { operator } from "./operator/operator.module.ts";
import { mail } from "./platform/mail/mail.module.ts";
import { measurements, platform, settings } from "./platform/platform.module.ts";
import type { Platform, ServiceDeps } from "./platform/platform.module.ts";
import type { SelfTest } from "./operator/operator.ts";
import { server } from "./server/server.module.ts";
import type { Telemetry } from "./platform/telemetry/telemetry.ts";
import { webhooks } from "./webhooks/webhooks.module.ts";
import type { Workflows } from "./automation/automation.ts";
import type { App, People, Workspaces } from "./accounts/accounts.ts";

export type { ServiceDeps } from "./platform/platform.module.ts";

/** The modules of the service. Lists of extension points are in this order. */
export const MODULES: readonly Module[] = [
  platform,
  mail,
  accounts,
  access,
  insights,
  audit,
  portal,
  contacts,
  events,
  issues,
  webhooks,
  automation,
  actions,
  connectors,
  ai,
  configuration,
  compat,
  operator,
  measurements,
  server,
];

/** The created parts of the service, which `start` starts. */
export interface Service {
  readonly db: Db;
  readonly http: App;
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly audit: Audit;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly deliver: Deliver;
  readonly actions: ActionWorkers;
  readonly inbound: Inbound;
  readonly tester: Tester;
  readonly selfTest: SelfTest;
  readonly workflows: Workflows;
  readonly connectors: Connectors;
  readonly news: News;
  readonly telemetry: Telemetry;
  /** Every column of the database whose values are encrypted with the master key. */
  readonly encryptedColumns: readonly SealedColumn[];
  start(): Promise<void>;
  /** Stops accepting requests, waits for running work and releases leases. */
  stop(): Promise<void>;
}

export async function createService(deps: ServiceDeps): Promise<Service> {
  const modules = [...(deps.modules ?? []), ...MODULES];
  const composed = await compose(modules, [[settings, deps]]);
  const base = composed.productOf(platform);
  const { workspaces, people } = composed.productOf(accounts);
  return {
    db: base.db,
    telemetry: base.telemetry,
    http: composed.productOf(server),
    workspaces,
    people,
    audit: composed.productOf(audit),
    contacts: composed.productOf(contacts),
    events: composed.productOf(events).events,
    ...composed.productOf(webhooks),
    actions: composed.productOf(actions).workers,
    workflows: composed.productOf(automation).workflows,
    connectors: composed.productOf(connectors).registry,
    news: composed.productOf(insights).news,
    selfTest: composed.productOf(operator).selfTest,
    encryptedColumns: modules.flatMap((module) => module.encryptedColumns),
    start: async () => await start(composed, base),
    stop: async () => await stop(composed),
  };
}

async function start({ points, workers }: Composed, { works, log }: Platform): Promise<void> {
  for (const { of, done, run } of points.upgrades()) {
    const rows = await run();
    if (rows > 0) log.info({ of, rows }, done);
  }
  for (const worker of workers)
    if (works || worker.workerOnly !== true) await asWork(worker.name, () => worker.start?.());
}

async function stop({ workers, stopping }: Composed): Promise<void> {
  stopping();
  for (const worker of workers.toReversed()) await worker.stop?.();
}
