import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import { openConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Actions, Closed, Generated, Inbound, Messages, Open, Raw } from "./generator.ts";
import { startMeter, watchMemory } from "./meter.ts";
import type { MemoryWatch, Usage } from "./meter.ts";
import type { Received, Secure } from "./receiver.ts";
import { createReactions } from "./reactions.ts";
import { call, createAction, createEndpoint, createRule, createSource } from "./objects.ts";
import type { Caller, EndpointOptions, Source, SourceOptions } from "./objects.ts";
import { startService } from "./service.ts";
import type { Service, ServiceOptions } from "./service.ts";
import { startCounting } from "./statements.ts";
import type { DatabaseCost } from "./statements.ts";
import { refusals, verify } from "./verify.ts";
import type { Fired } from "./verify.ts";
import type { Workload } from "./workload.ts";
import type { Bench } from "./bench.ts";
import type { Place } from "./fill.ts";

/** Generator and receiver, each a process of its own. */
export interface Ends {
  /** Sends signed POSTs straight to the receiver, to its plain port unless another is given. */
  raw(options: Omit<Raw, "port"> & { readonly port?: number }): Promise<Generated>;
  /** Fires events at the receiver, which answers each at once. */
  fire(workload: Workload, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  received(): Promise<Received>;
  reset(fan?: number): Promise<void>;
  /** Makes the receiver listen with TLS too, and returns the port. */
  secure(options: Secure): Promise<number>;
  stop(): Promise<void>;
}

/** A service with an empty database, between a generator and a receiver. */
export interface Stage {
  readonly sql: Client;
  readonly place: Place;
  /** The time that the service took to be ready. */
  readonly readyMs: number;
  closed(workload: Workload, options: Pick<Closed, "connections" | "forMs" | "isEachNew">): Promise<Generated>;
  /** Creates a source whose events are fired under this name. */
  source(event: string, options?: SourceOptions): Promise<Source>;
  inbound(source: Source, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  /** Creates an action contract with confirmation whose backend is the receiver, and returns its key. */
  action(): Promise<string>;
  actions(action: string, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  /** Creates an API key with these members. */
  key(more: object): Promise<{ readonly id: string; readonly key: string }>;
  messages(credential: string, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  open(workload: Workload, options: Pick<Open, "perSecond" | "forMs">): Promise<Generated>;
  received(): Promise<Received>;
  /** Discards earlier arrivals. With `fan`, an event is complete after that many requests. */
  reset(fan?: number): Promise<void>;
  /** Makes the receiver listen with TLS too, and returns the port. */
  secure(options: Secure): Promise<number>;
  /** Makes the receiver listen on a port that accepts connections and says nothing. */
  silent(): Promise<number>;
  /** Holds a snapshot of the database, as a backup does. Call the result to release it. */
  snapshot(): Promise<() => Promise<void>>;
  endpoint(options: EndpointOptions): Promise<string>;
  post<Answer>(path: string, body: object): Promise<Answer>;
  /** Opens a connection to the service, for one request at a time. */
  connect(): Promise<Connection>;
  /** Creates a rule and a workflow that react to the catalogue's events. */
  reactions(): Promise<void>;
  /** Creates a rule on an event that makes an HTTP call to the receiver. Without `isCalling`, its condition is false. */
  rule(event: string, isCalling: boolean): Promise<void>;
  /** Creates a workspace. */
  neighbour(): Promise<Neighbour>;
  /** Returns the number of pending deliveries, due or not. */
  backlog(): Promise<number>;
  /** Waits until no delivery, stage or workflow run is left to do; returns how many are left after the limit. */
  drained(limitMs: number): Promise<number>;
  /** Throws unless each event that was accepted since the start had all of its effects. Call it when no work is pending. */
  verify(): Promise<void>;
  /** Starts to measure processor time; call the result to stop. The name appears in the list of disturbed measurements. */
  meter(name: string): () => Usage;
  memory(): MemoryWatch;
  counting(): Promise<() => Promise<DatabaseCost>>;
  stop(): Promise<void>;
}

/** Another workspace of the same service, whose load comes from a generator of its own. */
export interface Neighbour extends Pick<Stage, "endpoint" | "open" | "reactions"> {
  stop(): Promise<void>;
}

interface Parts extends Caller {
  readonly bench: Bench;
  readonly generator: Child;
  readonly receiver: Child;
  readonly sql: Client;
  readonly fired: FiredTally;
}

/** Adds up the events that all workspaces of the stage fire. */
interface FiredTally {
  add(workload: Workload, load: Generated): Generated;
  /** Records that a rule and a workflow react from now on. */
  react(): void;
  read(): Fired;
}

/** The share of one core above which the generator or receiver may limit a measurement. */
const MOST_BUSY = 0.7;

/** Stop functions of everything that runs now, so that an interrupted bench leaves nothing behind. */
const running = new Set<() => Promise<void>>();

export async function stopAll(): Promise<void> {
  await Promise.allSettled([...running].map(async (stop) => await stop()));
}

export async function startEnds(): Promise<Ends> {
  const [generator, receiver] = startPair();
  const stop = tracked(async () => {
    await Promise.all([generator.stop(), receiver.stop()]);
  });
  const port = await receiver.ask<number>("listen");
  return {
    raw: async (options) => await generator.ask("raw", { port, ...options } satisfies Raw),
    fire: async (workload, options) =>
      await generator.ask("closed", { ...options, workload, key: "none", port } satisfies Closed),
    received: async () => await receiver.ask("read"),
    reset: async (fan) => await receiver.ask("reset", { fan }),
    secure: async (options) => await receiver.ask("secure", options),
    stop,
  };
}

export async function startStage(bench: Bench, options: ServiceOptions = {}): Promise<Stage> {
  const service = await startService(options);
  const [generator, receiver] = startPair();
  const sql = new Client({ connectionString: service.databaseUrl });
  const stop = tracked(async () => {
    // The receiver stops before the service, which would otherwise wait for hanging attempts.
    await Promise.all([generator.stop(), receiver.stop()]);
    await sql.end().catch(() => undefined);
    await service.stop();
  });
  try {
    const receiverPort = await receiver.ask<number>("listen");
    await sql.connect();
    await sql.query("create extension if not exists pg_stat_statements");
    const place = await placeOf(sql);
    return stageOf(
      {
        bench,
        service,
        generator,
        receiver,
        receiverPort,
        sql,
        key: await benchKey(service, service.ownerKey),
        fired: createFiredTally(),
      },
      place,
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

function stageOf(parts: Parts, place: Place, stop: () => Promise<void>): Stage {
  const { bench, service, generator, receiver, sql, key, fired } = parts;
  return {
    sql,
    place,
    readyMs: service.readyMs,
    closed: async (workload, load) =>
      fired.add(
        workload,
        await generator.ask("closed", { ...load, workload, key, port: service.port } satisfies Closed),
      ),
    source: async (event, options) => await createSource(parts, event, options),
    inbound: async (source, load) =>
      await generator.ask("inbound", { ...load, ...source, port: service.port } satisfies Inbound),
    action: async () => await createAction(parts),
    actions: async (action, load) =>
      await generator.ask("actions", { ...load, action, key, port: service.port } satisfies Actions),
    key: async (more) => await keyOf(service, service.ownerKey, more),
    messages: async (credential, load) =>
      await generator.ask("messages", { ...load, credential, port: service.port } satisfies Messages),
    open: async (workload, load) =>
      fired.add(workload, await generator.ask("open", { ...load, workload, key, port: service.port } satisfies Open)),
    received: async () => await receiver.ask("read"),
    reset: async (fan) => await receiver.ask("reset", { fan }),
    secure: async (options) => await receiver.ask("secure", options),
    silent: async () => await receiver.ask("silent"),
    snapshot: async () => await holdSnapshot(service.databaseUrl),
    endpoint: async (options) => await createEndpoint(parts, options),
    post: async (path, body) => await call(service, key, path, body),
    connect: async () => await openConnection(service.port),
    reactions: async () => await addReactions(parts),
    rule: async (event, isCalling) => await createRule(parts, event, isCalling),
    neighbour: async () => await createNeighbour(parts),
    backlog: async () => await pendingDeliveries(sql),
    drained: async (limitMs) => await drained(sql, limitMs),
    verify: async () => {
      const kept = await verify(sql, fired.read());
      bench.say(`${kept} events checked: each is kept and delivered, and has all that reacts to it`);
    },
    meter: (name) => metered(parts, name),
    memory: () => watchMemory(service.pid),
    counting: async () => await startCounting(sql),
    stop,
  };
}

function metered({ bench, service, generator, receiver }: Parts, name: string): () => Usage {
  const stop = startMeter({
    service: service.pid,
    database: service.databasePid,
    generator: generator.pid,
    receiver: receiver.pid,
  });
  return () => {
    const usage = stop();
    const share = (usage.otherMs + usage.stolenMs) / (usage.wallMs * usage.cores);
    if (share > 0.1) bench.disturbed.push(`${name}: ${Math.round(share * 100)} %`);
    for (const part of ["generator", "receiver"] as const) {
      const busy = usage[`${part}Ms`] / usage.wallMs;
      if (busy > MOST_BUSY)
        bench.disturbed.push(`${name}: the ${part} was busy ${Math.round(busy * 100)} % of the time`);
    }
    return usage;
  };
}

function startPair(): [Child, Child] {
  return [startGenerator(), startChild(new URL("receiver.ts", import.meta.url))];
}

function startGenerator(): Child {
  return startChild(new URL("generator.ts", import.meta.url));
}

function tracked(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const once = async (): Promise<void> => {
    stopped ??= stop().finally(() => running.delete(once));
    await stopped;
  };
  running.add(once);
  return once;
}

async function drained(sql: Client, limitMs: number): Promise<number> {
  const endAt = performance.now() + limitMs;
  for (;;) {
    const left = (await pendingDeliveries(sql)) + (await unfinishedReactions(sql));
    if (left === 0 || performance.now() > endAt) return left;
    await sleep(left > 10_000 ? 250 : left > 1000 ? 100 : 20);
  }
}

async function pendingDeliveries(sql: Client): Promise<number> {
  return await countOf(sql, "select count(*)::int as bench from (select from pending_delivery limit 1000000) p");
}

async function unfinishedReactions(sql: Client): Promise<number> {
  return await countOf(
    sql,
    `select count(*)::int as bench from (select from dispatch_stage where state in ('waiting', 'running')
      union all select from workflow_run where due_at is not null
      union all select from http_call where state = 'waiting' limit 1000000) r`,
  );
}

/** The statements that call their count "bench" are not counted as the service's. */
async function countOf(sql: Client, statement: string): Promise<number> {
  const { rows } = await sql.query<{ bench: number }>(statement);
  return rows[0]?.bench ?? 0;
}

function createFiredTally(): FiredTally {
  const names = new Set<string>();
  let accepted = 0;
  let doubtful = 0;
  let hasReactions = false;
  return {
    react: () => {
      hasReactions = true;
    },
    add(workload, load) {
      for (const name of workload.names) names.add(name);
      accepted += load.accepted;
      doubtful += refusals(load);
      return load;
    },
    read: () => ({ names: [...names], accepted, doubtful, hasReactions }),
  };
}

async function holdSnapshot(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("begin isolation level repeatable read");
  await client.query("select count(*) as bench from workspace");
  return async () => await client.end();
}

async function placeOf(sql: Client): Promise<Place> {
  const { rows } = await sql.query<Place>("select bucket, tag from workspace");
  if (rows[0] === undefined) throw new Error("the service made no workspace");
  return rows[0];
}

async function benchKey(service: Service, ownerKey: string): Promise<string> {
  return (await keyOf(service, ownerKey)).key;
}

async function keyOf(service: Service, ownerKey: string, more: object = {}): Promise<{ id: string; key: string }> {
  const limits = { permission_mode: "all", rate_limit_per_hour: 100_000_000 };
  return await call(service, ownerKey, "/v1/keys", { name: "bench", ...limits, ...more });
}

async function createNeighbour(parts: Parts): Promise<Neighbour> {
  const { service } = parts;
  const made = await call<{ api_key: string }>(service, service.ownerKey, "/v1/workspaces", { name: "Neighbour" });
  const key = await benchKey(service, made.api_key);
  let generator: Child | undefined;
  return {
    endpoint: async (options) => await createEndpoint({ ...parts, key }, options),
    reactions: async () => await addReactions({ ...parts, key }),
    async open(workload, load) {
      generator ??= startGenerator();
      const fire: Open = { ...load, workload, key, port: service.port };
      return parts.fired.add(workload, await generator.ask("open", fire));
    },
    stop: async () => await generator?.stop(),
  };
}

async function addReactions({ service, key, fired }: Parts): Promise<void> {
  await createReactions(async (path, body) => await call(service, key, path, body));
  fired.react();
}
