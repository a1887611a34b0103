import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import type { Actions, Closed, Generated, Inbound, Open, Raw } from "./generator.ts";
import { startMeter, watchMemory } from "./meter.ts";
import type { MemoryWatch, Usage } from "./meter.ts";
import type { Received } from "./receiver.ts";
import type { Bench } from "./scenario.ts";
import { startService } from "./service.ts";
import type { Service, ServiceOptions } from "./service.ts";
import { startCounting } from "./statements.ts";
import type { DatabaseCost } from "./statements.ts";

/** Generator and receiver, each a process of its own. */
export interface Ends {
  raw(options: Omit<Raw, "port">): Promise<Generated>;
  received(): Promise<Received>;
  reset(fan?: number): Promise<void>;
  stop(): Promise<void>;
}

/** A service with an empty database, between a generator and a receiver. */
export interface Stage {
  readonly sql: Client;
  readonly place: Place;
  closed(event: string, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  /** A source whose events are fired under this name. */
  source(event: string): Promise<Source>;
  inbound(source: Source, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  /** The key of a contract whose backend is the receiver, and that wants a confirmation. */
  action(): Promise<string>;
  actions(action: string, options: Pick<Closed, "connections" | "forMs">): Promise<Generated>;
  open(event: string, options: Pick<Open, "perSecond" | "forMs">): Promise<Generated>;
  received(): Promise<Received>;
  /** Forgets what was received. With `fan`, events count as complete at so many requests. */
  reset(fan?: number): Promise<void>;
  endpoint(options: EndpointOptions): Promise<string>;
  /** A new workspace. */
  neighbour(): Promise<Neighbour>;
  /** Waits until no delivery is pending, so that all are logged; answers how many are left after the limit. */
  drained(limitMs: number): Promise<number>;
  /** Starts to measure processor time; call the result to stop. The name is for what other programs disturbed. */
  meter(name: string): () => Usage;
  memory(): MemoryWatch;
  counting(): Promise<() => Promise<DatabaseCost>>;
  stop(): Promise<void>;
}

/** Another workspace of the same service, whose load comes from a generator of its own. */
export interface Neighbour extends Pick<Stage, "endpoint" | "open"> {
  stop(): Promise<void>;
}

/** Where the workspace's rows lie. */
export interface Place {
  readonly bucket: number;
  readonly tag: string;
}

export type Source = Pick<Inbound, "target" | "secret">;

export interface EndpointOptions {
  /** Of the receiver's URL, without a slash. */
  readonly path: string;
  readonly events: readonly string[];
  readonly maxInFlight?: number;
}

interface Parts {
  readonly bench: Bench;
  readonly service: Service;
  readonly generator: Child;
  readonly receiver: Child;
  readonly receiverPort: number;
  readonly sql: Client;
  readonly key: string;
}

/** What is running now, so that an interrupted bench leaves nothing behind. */
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
    raw: async (options) => await generator.ask("raw", { ...options, port } satisfies Raw),
    received: async () => await receiver.ask("read"),
    reset: async (fan) => await receiver.ask("reset", { fan }),
    stop,
  };
}

export async function startStage(bench: Bench, options: ServiceOptions = {}): Promise<Stage> {
  const service = await startService(options);
  const [generator, receiver] = startPair();
  const sql = new Client({ connectionString: service.databaseUrl });
  const stop = tracked(async () => {
    // The receiver first: attempts that hang would otherwise be waited for.
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
      { bench, service, generator, receiver, receiverPort, sql, key: await benchKey(service, service.ownerKey) },
      place,
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

function stageOf(parts: Parts, place: Place, stop: () => Promise<void>): Stage {
  const { service, generator, receiver, sql, key } = parts;
  return {
    sql,
    place,
    closed: async (event, load) =>
      await generator.ask("closed", { ...load, event, key, port: service.port } satisfies Closed),
    source: async (event) => await createSource(parts, event),
    inbound: async (source, load) =>
      await generator.ask("inbound", { ...load, ...source, port: service.port } satisfies Inbound),
    action: async () => await createAction(parts),
    actions: async (action, load) =>
      await generator.ask("actions", { ...load, action, key, port: service.port } satisfies Actions),
    open: async (event, load) =>
      await generator.ask("open", { ...load, event, key, port: service.port } satisfies Open),
    received: async () => await receiver.ask("read"),
    reset: async (fan) => await receiver.ask("reset", { fan }),
    endpoint: async (options) => await createEndpoint(parts, options),
    neighbour: async () => await createNeighbour(parts),
    drained: async (limitMs) => await drained(sql, limitMs),
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
    if (share > 0.1) bench.disturbed.push(`${name}, which took ${Math.round(share * 100)} % of the processor time`);
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
    const { rows } = await sql.query<{ bench: number }>(
      "select count(*)::int as bench from (select from pending_delivery limit 1000000) p",
    );
    const left = rows[0]?.bench ?? 0;
    if (left === 0 || performance.now() > endAt) return left;
    await sleep(left > 10_000 ? 250 : 20);
  }
}

async function placeOf(sql: Client): Promise<Place> {
  const { rows } = await sql.query<Place>("select bucket, tag from workspace");
  if (rows[0] === undefined) throw new Error("the service made no workspace");
  return rows[0];
}

async function benchKey(service: Service, ownerKey: string): Promise<string> {
  const made = await call<{ key: string }>(service, ownerKey, "/v1/keys", {
    name: "bench",
    permission_mode: "all",
    rate_limit_per_hour: 100_000_000,
  });
  return made.key;
}

async function createNeighbour(parts: Parts): Promise<Neighbour> {
  const { service } = parts;
  const made = await call<{ api_key: string }>(service, service.ownerKey, "/v1/workspaces", { name: "Neighbour" });
  const key = await benchKey(service, made.api_key);
  let generator: Child | undefined;
  return {
    endpoint: async (options) => await createEndpoint({ ...parts, key }, options),
    async open(event, load) {
      generator ??= startGenerator();
      return await generator.ask("open", { ...load, event, key, port: service.port } satisfies Open);
    },
    stop: async () => await generator?.stop(),
  };
}

async function createEndpoint(
  { service, key, receiverPort }: Parts,
  { path, events, maxInFlight }: EndpointOptions,
): Promise<string> {
  const url = `http://127.0.0.1:${receiverPort}/${path}`;
  const made = await call<{ id: string }>(service, key, "/v1/webhook-endpoints", {
    url,
    events,
    ...(maxInFlight === undefined ? {} : { max_in_flight: maxInFlight }),
  });
  return made.id;
}

async function createSource({ service, key }: Parts, event: string): Promise<Source> {
  const { url, secret } = await call<{ url: string; secret: string }>(service, key, "/v1/inbound-endpoints", {
    contact_email_path: "$.email",
    event_type_path: "$.type",
    idempotency_key_path: "$.id",
    contact_name_path: "$.name",
    value_path: "$.amount",
    summary_path: "$.summary",
    score: { default: 1 },
    event_name: event,
  });
  return { target: url.slice(new URL(url).origin.length), secret };
}

async function createAction({ service, key, receiverPort }: Parts): Promise<string> {
  const contract = {
    key: "bench.refund",
    label: "Refund an order",
    surface: ["api"],
    roles: ["owner", "developer"],
    requires_confirmation: true,
    params: { order: { type: "string" }, amount: { type: "int" }, reason: { type: "string", max: 500 } },
    endpoint: `http://127.0.0.1:${receiverPort}/action`,
    audit: true,
  };
  return (await call<{ key: string }>(service, key, "/v1/action-contracts", contract)).key;
}

async function call<Answer>(service: Service, key: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
