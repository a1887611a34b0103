import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { bucketOf, newApiKey, newTag, sha256 } from "../apps/service/src/lib/lib.ts";
import type { Tag } from "../apps/service/src/lib/lib.ts";
import { distribute, migrate } from "../apps/service/src/platform/db/db.ts";
import { findCitus } from "../apps/service/src/testing/citus.ts";
import { MIGRATIONS_FOLDER } from "../apps/service/src/testing/template.ts";
import { createCluster } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { startProxy } from "./proxy.ts";
import type { Proxy } from "./proxy.ts";

/** Undefined where there is no PostgreSQL with Citus. */
export const CITUS = findCitus();
export const NO_CITUS = "Citus is not on this machine (name the folder of its PostgreSQL's programs in JUNCTION_CITUS)";

/** A machine of the distributed database. */
export interface Machine {
  readonly server: Cluster;
  /** The only way to the machine. Undefined in a measurement. */
  readonly proxy: Proxy | undefined;
  /** The port under which the others reach it. */
  readonly port: number;
}

export interface Distributed {
  readonly coordinator: Machine;
  readonly workers: readonly Machine[];
  /** The address of the database. */
  readonly url: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Adds a machine that holds nothing yet. */
  grow(): Promise<Machine>;
}

export const DATABASE = "junction";
export const SETTINGS = {
  shared_preload_libraries: "citus,pg_stat_statements",
  max_prepared_transactions: "300",
  wal_level: "logical",
};

export interface DistributedOptions {
  readonly workers?: number;
  /** The machines reach each other without a proxy, for a measurement. */
  readonly isDirect?: boolean;
}

/** Starts a coordinator and workers, and distributes the service's tables over them. */
export async function startDistributed({
  workers: count = 2,
  isDirect = false,
}: DistributedOptions = {}): Promise<Distributed> {
  const coordinator = await startMachine(isDirect);
  const workers: Machine[] = [];
  for (let n = 0; n < count; n += 1) workers.push(await startMachine(isDirect));
  const url = urlOf(coordinator);
  const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    await onDatabase(url, async (client) => (await client.query<Row>(text, values)).rows);
  await query("select citus_set_coordinator_host('127.0.0.1', $1)", [coordinator.port]);
  const join = async ({ port }: Machine): Promise<void> => {
    await query("select citus_add_node('127.0.0.1', $1)", [port]);
  };
  for (const worker of workers) await join(worker);
  await migrate(url, MIGRATIONS_FOLDER, { distributing: true });
  await distribute(url, { tell: () => undefined });
  return {
    coordinator,
    workers,
    url,
    query,
    async grow() {
      const machine = await startMachine(isDirect);
      await join(machine);
      return machine;
    },
  };
}

async function startMachine(isDirect: boolean): Promise<Machine> {
  if (CITUS === undefined) throw new Error(NO_CITUS);
  const server = await createCluster({ binaries: CITUS, maxConnections: 300, settings: SETTINGS, auth: "trust" });
  await server.query(`create database ${DATABASE}`);
  const proxy = isDirect ? undefined : await startProxy(server.port);
  const port = proxy?.port ?? server.port;
  await onDatabase(urlAt(server.url, port), async (client) => await client.query("create extension citus"));
  return { server, proxy, port };
}

function urlOf({ server, port }: Machine): string {
  return urlAt(server.url, port);
}

/** Returns the address of the service's database on this port. */
export function urlAt(server: string, port: number): string {
  const url = new URL(server);
  url.port = String(port);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

export async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Adds a workspace whose rows are on this machine, and returns an owner's key. */
export async function workspaceOn({ query }: Pick<Distributed, "query">, { port }: Machine): Promise<string> {
  const rows = await query<{ bucket: number }>(
    `select b as bucket from generate_series(0, 63) b
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('event', b::smallint)
      join pg_dist_node n on n.groupid = p.groupid where n.nodeport = $1`,
    [port],
  );
  const buckets = new Set(rows.map(({ bucket }) => bucket));
  return await addWorkspace(query, (tag) => buckets.has(bucketOf(tag)));
}

/** Adds a workspace whose tag fits, and returns an owner's key. */
export async function addWorkspace(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  fits: (tag: Tag) => boolean = () => true,
): Promise<string> {
  let tag: Tag = newTag();
  while (!fits(tag)) tag = newTag();
  const [workspaceId, keyId, key] = [randomUUID(), randomUUID(), newApiKey("live")];
  await query("insert into workspace (id, tag, bucket, name) values ($1, $2, $3, 'Load')", [
    workspaceId,
    tag,
    bucketOf(tag),
  ]);
  await query(
    `insert into api_key (id, workspace_id, bucket, tag, key_hash, lineage_id, name, prefix_hint, permission_mode, role, actor_type, rate_limit_per_hour)
      values ($1, $2, $3, $4, $5, $1, 'load', 'jn_live', 'all', 'owner', 'service', 100000000)`,
    [keyId, workspaceId, bucketOf(tag), tag, sha256(key)],
  );
  return key;
}
