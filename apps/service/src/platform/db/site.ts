import pg from "pg";
import { endSilent, SILENCE_MS } from "./dead-connection.ts";
import type { DbDeps } from "./types.ts";

/** The pools of one place of the database: of a plain PostgreSQL, or of the coordinator or one shard of several. */
export interface Site {
  /** The connections of statements outside of requests and of look-ups. */
  readonly main: pg.Pool;
  /** The connections that do not wait for the disk. */
  readonly soft: pg.Pool;
  /**
   * The connections of requests that write. A unit may wait for statements of the other pools, but they never wait for
   * a unit, so that no deadlock can occur.
   */
  readonly units: pg.Pool;
  /** The connections with the role junction_tenant. */
  readonly tenants: pg.Pool;
}

const POOLS = ["main", "soft", "units", "tenants"] as const;

/** The maximum number of connections of each pool, besides `main`. */
const MOST = { soft: 3, units: 8, tenants: 4 } as const;
/** The pools of a shard are smaller, because a process has one site for each shard. */
const MOST_OF_SHARD = { main: 4, soft: 1, units: 4, tenants: 4 } as const;
/** A unit that is idle for this long has also lost its lease on the idempotency key. */
const UNIT_IDLE = "-c idle_in_transaction_session_timeout=60000";
/** Compiling a plan takes up to a second, and no statement here runs for so long: the planner's estimate of what to compile can be far off. */
const WITHOUT_JIT = "-c jit=off";
/** The role can read and write every row, but cannot change the schema (0009_second_wall.sql). */
const SERVICE = `-c role=junction_service ${WITHOUT_JIT}`;
const TENANT = `-c role=junction_tenant ${WITHOUT_JIT}`;

/** A shard's own machine, and the schema in which its tables have their plain names. */
export interface SiteAddress {
  readonly url: string;
  readonly schema: string;
}

/** Opens no connection before the first query. */
export function openSite(deps: DbDeps, shard?: SiteAddress): Site {
  const url = shard?.url ?? deps.url;
  const path =
    shard === undefined ? "" : ` -c search_path=${shard.schema},public -c citus.enable_manual_changes_to_shards=on`;
  const most = shard === undefined ? { main: deps.poolSize, ...MOST } : MOST_OF_SHARD;
  const open = (max: number, name: string, options: string): pg.Pool =>
    openPool({ ...deps, url }, { max, name, options: `${options}${path}` });
  return {
    main: open(most.main, "junction", SERVICE),
    soft: open(most.soft, "junction soft", `${SERVICE} -c synchronous_commit=off`),
    units: open(most.units, "junction units", `${SERVICE} ${UNIT_IDLE}`),
    tenants: open(most.tenants, "junction tenants", TENANT),
  };
}

export async function closeSite(site: Site): Promise<void> {
  await Promise.all(POOLS.map(async (name) => await site[name].end()));
}

export interface PoolStats {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export function statsOf(sites: readonly Site[]): PoolStats {
  const pools = sites.flatMap((site) => POOLS.map((name) => site[name]));
  const sum = (of: (pool: pg.Pool) => number): number => pools.reduce((total, pool) => total + of(pool), 0);
  return {
    total: sum((pool) => pool.totalCount),
    idle: sum((pool) => pool.idleCount),
    waiting: sum((pool) => pool.waitingCount),
  };
}

function openPool(deps: DbDeps, settings: { max: number; name: string; options: string }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: deps.url,
    max: settings.max,
    application_name: settings.name,
    options: settings.options,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  endSilent(pool, deps.silenceMs ?? SILENCE_MS);
  // An idle connection that ends is replaced on the next use. Without this listener, its error would end the process.
  pool.on("error", (error) => {
    // The server may end a connection before it reads that we end it.
    if (!pool.ending) deps.log.warn({ err: error }, "lost a database connection");
  });
  // A connection that ends between two statements of a transaction reports it only here. Its next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
