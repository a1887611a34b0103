import { hostname } from "node:os";
import { createAudit } from "./audit/audit.ts";
import type { Audit, SecretSource } from "./audit/audit.ts";
import { fingerprintOf } from "./operator/backup/backup.ts";
import { createContacts } from "./contacts/contacts.ts";
import type { Contacts } from "./contacts/contacts.ts";
import { createDb } from "./platform/db/db.ts";
import type { Db } from "./platform/db/db.ts";
import type { Subscriber } from "./dispatch/dispatch.ts";
import { findEventType } from "./events/events.ts";
import { createGate } from "./gate/gate.ts";
import type { Gate } from "./gate/gate.ts";
import { createIdMaker, createSealer, randomText, systemClock } from "./lib/lib.ts";
import type { Clock, IdMaker, Sealer } from "./lib/lib.ts";
import { createNews } from "./insights/live/live.ts";
import type { News } from "./insights/live/live.ts";
import { createNet } from "./platform/outbound-http/outbound-http.ts";
import type { Net } from "./platform/outbound-http/outbound-http.ts";
import type { Capabilities } from "./automation/rules/rules.ts";
import { createRequests } from "./access/request-log/request-log.ts";
import type { Requests } from "./access/request-log/request-log.ts";
import { createTelemetry, createTraces } from "./platform/telemetry/telemetry.ts";
import type { Log, Signals, Telemetry, Traces } from "./platform/telemetry/telemetry.ts";
import { createUsage } from "./insights/usage/usage.ts";
import type { Usage } from "./insights/usage/usage.ts";
import { createKeyUsage, createPeople, createSessions, createWorkspaces } from "./accounts/workspaces/workspaces.ts";
import type { KeyUsage, People, Workspaces } from "./accounts/workspaces/workspaces.ts";
import type { StepPort } from "./automation/workflows/workflows.ts";
import type { Config } from "./config/config.ts";

export interface ServiceDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly version: { readonly version: string; readonly node: string; readonly git_sha: string | null };
  readonly clock?: Clock;
  /** How long a stop leaves connections that were used a moment ago; tests that are over have no use for it. */
  readonly lingerMs?: number;
  readonly telemetry?: Telemetry;
  /** Besides those that the service has itself. */
  readonly subscribers?: readonly Subscriber[];
  /** Besides what the service itself lets rules do. */
  readonly capabilities?: Capabilities;
  /** Besides those of workflows' steps that the service does itself. */
  readonly ports?: readonly StepPort[];
}

/** What everything else stands on. */
export interface Core {
  readonly deps: ServiceDeps;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly signals: Signals;
  readonly traces: Traces;
  readonly db: Db;
  readonly net: Net;
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly keyUsage: KeyUsage;
  readonly usage: Usage;
  readonly requests: Requests;
  readonly gate: Gate;
  readonly news: News;
  readonly audit: Audit;
  /** Filled by those that keep secrets, as they are made. */
  readonly secretSources: SecretSource[];
  readonly contacts: Contacts;
}

const POOL_SIZE = 12;

export async function createCore(deps: ServiceDeps): Promise<Core> {
  const { config, clock = systemClock } = deps;
  const telemetry = deps.telemetry ?? createTelemetry(config.logLevel, config.logFormat);
  const traces = await createTraces({ endpoint: config.otlpEndpoint, clock, telemetry });
  const ids = createIdMaker(clock);
  const sealer = createSealer(deps.masterKey, config.previousMasterKeys);
  const db = openDb(deps, telemetry);
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
  const keyUsage = createKeyUsage({ db, clock, log: telemetry.log });
  const usage = createUsage({ db, clock, telemetry, log: telemetry.log });
  const requests = createRequests({ ...telemetry, db, clock });
  const gate = createGate({
    db,
    clock,
    sealer,
    workspaces,
    sessions,
    usage: keyUsage,
    requests,
    signals: telemetry.signals,
    limits: config.limits,
    record: deed,
    log: telemetry.log,
  });
  const news = createNews({ db, clock, ids, telemetry, log: telemetry.log });
  const contacts = createContacts({ db, clock, ids, titleOf: (name) => findEventType(name)?.title });
  return {
    deps,
    clock,
    ids,
    sealer,
    telemetry,
    log: telemetry.log,
    signals: telemetry.signals,
    traces,
    db,
    net,
    workspaces,
    people,
    keyUsage,
    usage,
    requests,
    gate,
    news,
    audit,
    secretSources,
    contacts,
  };
}

/** Others see which master key this process seals with, when one is rotated. */
function openDb({ databaseUrl: url, masterKey }: ServiceDeps, { log }: Telemetry): Db {
  return createDb({ url, poolSize: POOL_SIZE, log, mark: fingerprintOf(masterKey) });
}

/** Where this process reaches itself, whatever it listens on. */
function loopbackOf(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}
