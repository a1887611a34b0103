import { connected, createCluster } from "../../faults/cluster.ts";
import type { Cluster } from "../../faults/cluster.ts";
import {
  CITUS,
  DATABASE,
  NO_CITUS,
  SETTINGS,
  startDistributed,
  UNLIMITED,
  urlAt,
  workspaceOn,
} from "../../faults/citus.ts";
import { stopAll } from "../../faults/running.ts";
import { migrate } from "../../apps/service/src/platform/db/db.ts";
import { addWorkspace } from "../../apps/service/src/testing/keys.ts";
import { newTag } from "../../apps/service/src/lib/lib.ts";
import { MIGRATIONS_FOLDER } from "../../apps/service/src/testing/template.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";
import { startChild } from "../child.ts";
import type { Child } from "../child.ts";
import type { Closed, Generated } from "../generator.ts";
import { familyMs } from "../meter.ts";
import type { Received } from "../receiver.ts";
import { assertArrived, ORDER } from "../scenario.ts";
import { startService } from "../service.ts";
import type { Service } from "../service.ts";
import { custom } from "../workload.ts";

/** One, two and three workers each have as many of them. */
const WORKSPACES = 6;
const CONNECTIONS_EACH = 20;
const WARM_MS = 4000;
const WORKERS = [1, 2, 3] as const;

/** The servers of one database, the coordinator or the only one first. */
interface Database {
  readonly name: string;
  readonly url: string;
  readonly servers: readonly Cluster[];
  /** Adds a workspace on the worker with this number, counted around, and returns its key. */
  workspace(at: number): Promise<string>;
}

/** Measures custom events of six workspaces on a plain PostgreSQL, and on Citus with one, two and three workers. */
export async function citus(bench: Bench): Promise<Row[]> {
  if (CITUS === undefined) {
    bench.say(`citus: skipped, ${NO_CITUS}`);
    return [];
  }
  const rows: Row[] = [];
  for (const start of [startPlain, ...WORKERS.map((workers) => async () => await startWorkers(workers))]) {
    try {
      rows.push(...(await measured(bench, await start())));
    } finally {
      await stopAll();
    }
  }
  return rows;
}

async function startPlain(): Promise<Database> {
  const settings = { ...SETTINGS, shared_preload_libraries: "pg_stat_statements" };
  const server = await createCluster({ ...(CITUS === undefined ? {} : { binaries: CITUS }), settings, auth: "trust" });
  await server.query(`create database ${DATABASE}`);
  const url = urlAt(server.url, server.port);
  await migrate(url, MIGRATIONS_FOLDER);
  const query = async (text: string, values: unknown[] = []): Promise<unknown> =>
    await connected(url, async (client) => await client.query(text, values));
  return {
    name: "PostgreSQL",
    url,
    servers: [server],
    workspace: async () => await addWorkspace(query, newTag(), { perHour: UNLIMITED }),
  };
}

async function startWorkers(count: number): Promise<Database> {
  const database = await startDistributed({ workers: count, isDirect: true });
  return {
    name: `Citus, ${count} ${count === 1 ? "worker" : "workers"}`,
    url: database.url,
    servers: [database.coordinator, ...database.workers].map(({ server }) => server),
    async workspace(at) {
      const machine = database.workers[at % count];
      if (machine === undefined) throw new Error("there is no such worker");
      return await workspaceOn(database, machine);
    },
  };
}

async function measured(bench: Bench, database: Database): Promise<Row[]> {
  const service = await startService({
    environment: { DATABASE_URL: database.url, JUNCTION_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") },
  });
  const receiver = startChild(new URL("../receiver.ts", import.meta.url));
  const generators = Array.from({ length: WORKSPACES }, () => startChild(new URL("../generator.ts", import.meta.url)));
  try {
    const port = await receiver.ask<number>("listen");
    const keys: string[] = [];
    for (let at = 0; at < WORKSPACES; at += 1) {
      const key = await database.workspace(at);
      await createEndpoint(service, key, `http://127.0.0.1:${port}/order`);
      keys.push(key);
    }
    const fire = async (forMs: number): Promise<Generated[]> =>
      await Promise.all(
        generators.map(
          async (generator, at) => await generator.ask<Generated>("closed", load(service, keys[at], forMs)),
        ),
      );
    const sent = async (): Promise<number> => (await receiver.ask<Received>("read")).requests;
    await settle(await fire(WARM_MS), sent);
    await receiver.ask("reset", {});
    const before = await costs(database, service);
    const startedMs = performance.now();
    const loads = await fire(bench.seconds * 1000);
    await settle(loads, sent);
    const wallMs = performance.now() - startedMs;
    const after = await costs(database, service);
    const deliveries = await sent();
    for (const one of loads) assertArrived({ ...one, shed: 0 }, one.accepted);
    return rowsOf(database, { before, after, deliveries, wallMs });
  } finally {
    await Promise.all([receiver, ...generators].map(async (child: Child) => await child.stop()));
    await service.stop();
  }
}

function load(service: Service, key: string | undefined, forMs: number): Closed {
  return { workload: custom(ORDER), key: key ?? "", port: service.port, connections: CONNECTIONS_EACH, forMs };
}

async function createEndpoint(service: Service, key: string, url: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1/webhook-endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ url, events: [ORDER], max_in_flight: 256 }),
  });
  if (!answer.ok) throw new Error(`no endpoint: ${answer.status} ${await answer.text()}`);
}

/** Waits until as many deliveries arrived as events were accepted. */
async function settle(loads: readonly Generated[], sent: () => Promise<number>): Promise<void> {
  const due = loads.reduce((sum, { accepted }) => sum + accepted, 0);
  const endAt = performance.now() + 120_000;
  while ((await sent()) < due) {
    if (performance.now() > endAt) throw new Error(`${await sent()} of ${due} deliveries arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Totals since the start of each server, and of the service. */
interface Costs {
  readonly serviceMs: number;
  readonly servers: readonly { readonly ms: number; readonly calls: number; readonly walBytes: number }[];
}

async function costs({ servers }: Database, service: Service): Promise<Costs> {
  return {
    serviceMs: familyMs(service.pid),
    servers: await Promise.all(
      servers.map(async (server) => ({ ms: familyMs(server.pid()), ...(await statementsOf(server)) })),
    ),
  };
}

async function statementsOf({ url, port }: Cluster): Promise<{ calls: number; walBytes: number }> {
  const text = `select (select sum(calls)::float8 from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = current_database()) as calls, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes"`;
  return await connected(urlAt(url, port), async (client) => {
    await client.query("set client_min_messages to error");
    await client.query("set citus.enable_ddl_propagation to off");
    await client.query("create extension if not exists pg_stat_statements");
    const { rows } = await client.query<{ calls: number; walBytes: number }>(text);
    return rows[0] ?? { calls: 0, walBytes: 0 };
  });
}

interface Measured {
  readonly before: Costs;
  readonly after: Costs;
  readonly deliveries: number;
  readonly wallMs: number;
}

function rowsOf({ name, servers }: Database, { before, after, deliveries, wallMs }: Measured): Row[] {
  const line = (what: string, value: number, unit: string): Row => row(`${name}: ${what}`, value, unit);
  const of = (at: number, key: "ms" | "calls" | "walBytes"): number =>
    ((after.servers[at]?.[key] ?? 0) - (before.servers[at]?.[key] ?? 0)) / deliveries;
  const each = servers.flatMap((_server, at) => {
    const place = servers.length === 1 ? "the database" : at === 0 ? "the coordinator" : `worker ${at}`;
    return [
      line(`${place} per delivery`, of(at, "ms"), "ms"),
      line(`statements of ${place} per event`, of(at, "calls"), ""),
      line(`WAL of ${place} per event`, of(at, "walBytes"), "bytes"),
    ];
  });
  return [
    line("delivered and logged", (deliveries / wallMs) * 1000, "/s"),
    line("the service per delivery", (after.serviceMs - before.serviceMs) / deliveries, "ms"),
    ...each,
  ];
}
