import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { instant } from "../../lib/lib.ts";
import { createCommitHooks } from "./commit-hooks.ts";
import { compiled, composed, hotIn, naming } from "./prepared.ts";
import type { HotStatement } from "./prepared.ts";
import { endSilent, SILENCE_MS, watchListener } from "./dead-connection.ts";
import type { Tables } from "./tables.generated.ts";
import { createTenants } from "./tenant.ts";
import type { Tenants } from "./tenant.ts";
import { createUnits, unitDialect } from "./unit-of-work.ts";
import type { Units } from "./unit-of-work.ts";
import type { Db, Tx } from "./types.ts";

export { sql } from "kysely";
export type { RawBuilder, Selectable } from "kysely";
export type { Tables } from "./tables.generated.ts";
export { columnOf } from "./column.ts";
export { createMaintenance } from "./maintenance.worker.ts";
export { arrayText, bulk, bulkInsert, selected, unnested, valuesOf } from "./bulk.store.ts";
export { defineDependentPart, defineFreshPart, definePart } from "./commit-part.ts";
export { ofTenant } from "./of-tenant.ts";
export { byKey } from "./prepared.ts";
export type { CommitPart, CommitParts, HotReader, HotStatement } from "./prepared.ts";
export { migrate, migrationState, readMigrations } from "./migrate.ts";
export type { Migration, MigrationState } from "./migrate.ts";
export { DatabaseRefusedError, SCHEMA_LOCK, UNFINISHED } from "./schema-lock.ts";
export { EmbeddedError, startEmbedded } from "../embedded-postgres/embedded-postgres.ts";
export { reach, UnreachableError } from "./reach.ts";
export { databaseHome, originalOf } from "../embedded-postgres/home.ts";
export type { DatabaseHome } from "../embedded-postgres/home.ts";
export { hasEmbedded, runningEmbedded } from "../embedded-postgres/running.ts";
export type { Embedded } from "../embedded-postgres/embedded-postgres.ts";
export type { Tenant } from "./tenant.ts";
export type { Db, Query, Tx, Unit } from "./types.ts";

export interface DbDeps {
  readonly url: string;
  readonly poolSize: number;
  /** The maximum time that a connection in use may be silent; default: 20 s. */
  readonly silenceMs?: number;
  /** Identifies this process to others of this database: at most 40 characters. */
  readonly mark?: string;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Limits the connections of requests that write. A unit may wait for statements of the other pools, but they never wait
 * for a unit, so that no deadlock can occur.
 */
const UNIT_POOL = 8;
/** A unit that is idle for this long has also lost its lease on the idempotency key. */
const UNIT_IDLE = "-c idle_in_transaction_session_timeout=60000";
const TENANT_POOL = 4;
/** The role can read and write every row, but cannot change the schema (0009_second_wall.sql). */
const SERVICE = "-c role=junction_service";
const TENANT = "-c role=junction_tenant";

/** Connects on the first query, so that the routes can be built and documented without a database. */
export function createDb(deps: DbDeps): Db {
  const pool = openPool(deps, { max: deps.poolSize, name: "junction", options: SERVICE });
  const soft = { max: 3, name: "junction soft", options: `${SERVICE} -c synchronous_commit=off` };
  const softPool = openPool(deps, soft);
  const unitPool = openPool(deps, { max: UNIT_POOL, name: "junction units", options: `${SERVICE} ${UNIT_IDLE}` });
  const tenantPool = openPool(deps, { max: TENANT_POOL, name: "junction tenants", options: TENANT });
  const pools = [pool, softPool, unitPool, tenantPool];
  const pooled = builderOn(pool);
  const tenants = createTenants(tenantPool);
  const units = createUnits(builderOn(unitPool), tenants);
  return {
    query: new Kysely<Tables>({ dialect: unitDialect(units, tenants, pooled) }),
    transaction: async (run) =>
      await (units.transaction(run) ?? ownTransaction({ builder: tenants.builder() ?? pooled, tenants }, run)),
    within: tenants.within,
    unit: units.open,
    hot: async (statement, values) => await runHot({ units, pool }, statement, values),
    commit: async (parts, final) => await runHot({ units, pool }, ...composed(parts, final)),
    soft: async (statement, values) => await runNamed(softPool, statement, values),
    now: async () => {
      const { rows } = await pool.query<{ ms: string }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
      );
      return instant(Number(rows[0]?.ms));
    },
    listen: async (channel, heard) => await listen(deps, channel, heard),
    notify: async (channel) => {
      await runHot({ units, pool }, NOTIFY, [channel]);
    },
    stats: () => ({
      total: sum(pools, (one) => one.totalCount),
      idle: sum(pools, (one) => one.idleCount),
      waiting: sum(pools, (one) => one.waitingCount),
    }),
    close: async () => {
      await Promise.all(pools.map(async (one) => await one.end()));
    },
  };
}

/** Names the connection that every process holds while it serves. The process's mark follows the name. */
export const LISTENER = "junction listen";

const NOTIFY: HotStatement = { name: "notify", text: "select pg_notify($1, '')" };

function sum(pools: readonly pg.Pool[], of: (pool: pg.Pool) => number): number {
  return pools.reduce((total, pool) => total + of(pool), 0);
}

function builderOn(pool: pg.Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: naming(pool) }) });
}

async function ownTransaction<T>(
  { builder, tenants }: { readonly builder: Kysely<Tables>; readonly tenants: Tenants },
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const ending = createCommitHooks();
  const { onCommit, beforeCommit } = ending;
  const result = await builder.transaction().execute(async (trx) => {
    const tx: Tx = { ...hotIn(trx), query: trx, onCommit, beforeCommit };
    const made = await tenants.holding(async () => await run(tx));
    await ending.flush(tx);
    return made;
  });
  tenants.outside(ending.committed);
  return result;
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

async function runHot<Row extends pg.QueryResultRow>(
  { units, pool }: { readonly units: Units; readonly pool: pg.Pool },
  statement: HotStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!units.inside()) return await runNamed(pool, statement, values);
  const joined = units.execute<Row>(compiled(statement, values));
  return joined === undefined ? await runNamed(pool, statement, values) : (await joined).rows;
}

async function runNamed<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: HotStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name: statement.name, text: statement.text, values: [...values] });
  return rows;
}

async function listen(deps: DbDeps, channel: string, heard: () => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let connecting: Promise<void>;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: deps.url,
      application_name: `${LISTENER} ${deps.mark ?? ""}`.trim(),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    let lost = false;
    let unwatch: () => void = () => undefined;
    const again = (error?: Error): void => {
      unwatch();
      if (lost || stopped) return;
      lost = true;
      if (error !== undefined)
        deps.log.warn({ err: error }, "lost the database connection that listens for notifications");
      next.end().catch(() => undefined);
      retry = setTimeout(() => {
        connecting = connect();
      }, 1000);
    };
    next.on("error", again);
    next.on("end", () => again());
    next.on("notification", heard);
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      client = next;
      unwatch = watchListener(next);
      heard();
    } catch (error) {
      again(error instanceof Error ? error : new Error(String(error)));
    }
  }

  connecting = connect();
  await connecting;
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await connecting;
    await client?.end();
  };
}
