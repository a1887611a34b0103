import { bucketOf, newTag } from "../apps/service/src/lib/lib.ts";
import { distribute, migrate } from "../apps/service/src/platform/db/db.ts";
import { findCitus } from "../apps/service/src/testing/citus.ts";
import { addWorkspace } from "../apps/service/src/testing/keys.ts";
import { MIGRATIONS_FOLDER } from "../apps/service/src/testing/template.ts";
import { connected, createCluster } from "./cluster.ts";
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
/** No load reaches this limit of a key. */
export const UNLIMITED = 100_000_000;
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
    await connected(url, async (client) => (await client.query<Row>(text, values)).rows);
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
  await connected(urlAt(server.url, port), async (client) => await client.query("create extension citus"));
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

/** Adds a workspace whose rows are on this machine, and returns an owner's key. */
export async function workspaceOn({ query }: Pick<Distributed, "query">, { port }: Machine): Promise<string> {
  const rows = await query<{ bucket: number }>(
    `select b as bucket from generate_series(0, 63) b
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('event', b::smallint)
      join pg_dist_node n on n.groupid = p.groupid where n.nodeport = $1`,
    [port],
  );
  const buckets = new Set(rows.map(({ bucket }) => bucket));
  let tag = newTag();
  while (!buckets.has(bucketOf(tag))) tag = newTag();
  return await addWorkspace(query, tag, { perHour: UNLIMITED });
}
