import { Kysely, PostgresDialect } from "kysely";
import type { Transaction } from "kysely";
import pg from "pg";
import { instant } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { createEnding } from "./commit-hooks.ts";
import type { Flush } from "./commit-hooks.ts";
import { compiled, composed, hotIn, naming } from "./prepared.ts";
import type { HotStatement, HotWriter } from "./prepared.ts";
import { endSilent, SILENCE_MS, watchListener } from "./dead-connection.ts";
import type { Tables } from "./tables.generated.ts";
import { createTenants } from "./tenant.ts";
import type { Tenant, Tenants } from "./tenant.ts";
import { createUnits, unitDialect } from "./unit-of-work.ts";
import type { Unit, Units } from "./unit-of-work.ts";

export { sql } from "kysely";
export type { RawBuilder, Selectable } from "kysely";
export type { Tables } from "./tables.generated.ts";
export { columnOf } from "./column.ts";
export { createMaintenance } from "./maintenance.worker.ts";
export { byKey } from "./prepared.ts";
export type { CommitPart, HotReader, HotStatement } from "./prepared.ts";
export { migrate, migrationState, readMigrations } from "./migrate.ts";
export type { Migration, MigrationState } from "./migrate.ts";
export { DatabaseRefusal, SCHEMA_LOCK, UNFINISHED } from "./schema-lock.ts";
export { startEmbedded, EmbeddedError } from "../embedded-postgres/embedded-postgres.ts";
export { reach, UnreachableError } from "./reach.ts";
export { databaseHome, originalOf } from "../embedded-postgres/home.ts";
export type { DatabaseHome } from "../embedded-postgres/home.ts";
export { hasEmbedded, runningEmbedded } from "../embedded-postgres/running.ts";
export type { Embedded } from "../embedded-postgres/embedded-postgres.ts";
export type { Tenant } from "./tenant.ts";
export type { Unit } from "./unit-of-work.ts";

/** The query builder, on the pool or inside a transaction. */
export type Query = Kysely<Tables>;

/** What `hot` and `commit` run is part of the transaction. */
export interface Tx extends HotWriter {
  readonly query: Transaction<Tables>;
  /** Runs after the commit, in order and outside of any unit: work that goes on after the request is started here. Never when the transaction fails. */
  onCommit(run: () => void): void;
  /**
   * Collects what is written at the very end: `flush` runs once, after all else in the transaction, with every item that was given with it.
   * What it locks is locked last, so that nobody waits for it longer than a commit takes.
   */
  beforeCommit<Item>(flush: Flush<Item>, item: Item): void;
}

/** Inside a write's unit (see `unit`), whatever is written through `query`, `transaction`, `hot` and `commit` is part of it. */
export interface Db extends HotWriter {
  /** The builder, one statement a transaction. */
  readonly query: Query;
  /** Opens a transaction. Only front doors do; nothing in it may wait for the network. */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** A unit of work: all that a request writes in one commit, which is made when its answer is known (docs/decisions/0025). */
  unit(): Unit;
  /**
   * Runs work that may touch one tenant's rows alone: `query`, `transaction` and units inside it are held to that by the database.
   * `hot`, `commit` and `soft` outside of a unit are not: they serve many tenants at once.
   */
  within<T>(tenant: Tenant, work: () => T): T;
  /** A hot statement whose loss in a crash of the database costs nothing but a count: it does not wait for the disk. */
  soft<Row extends pg.QueryResultRow>(statement: HotStatement, values: readonly unknown[]): Promise<Row[]>;
  /** The database's clock. */
  now(): Promise<Instant>;
  /** Calls `heard` for each notification, and after each reconnect, when some may have been missed. */
  listen(channel: string, heard: () => void): Promise<() => Promise<void>>;
  notify(channel: string): Promise<void>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface DbDeps {
  readonly url: string;
  readonly poolSize: number;
  /** How long a connection in use may be without a sign of the database; default: 20 s. */
  readonly silenceMs?: number;
  /** What others of this database see of this process: at most 40 characters. */
  readonly mark?: string;
  readonly log: { warn(fields: object, message: string): void };
}

/** Connections of requests that write; a unit may wait for statements of the other pools, never they for it, so that none waits in a circle. */
const UNIT_POOL = 8;
/** A unit that does nothing for so long has lost its lease on the idempotency key too. */
const UNIT_IDLE = "-c idle_in_transaction_session_timeout=60000";
const TENANT_POOL = 4;
/** Every row, and no more than rows (0009_second_wall.sql). */
const SERVICE = "-c role=junction_service";
const TENANT = "-c role=junction_tenant";

/** Connects on the first query, so that the routes can be built, and documented, where there is no database. */
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

/** What the connection is called that every process holds while it serves; its mark follows. */
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
  const ending = createEnding();
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

function openPool(deps: DbDeps, of: { max: number; name: string; options: string }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: deps.url,
    max: of.max,
    application_name: of.name,
    options: of.options,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  endSilent(pool, deps.silenceMs ?? SILENCE_MS);
  // An idle connection that dies is replaced on the next use; without a listener it would end the process.
  pool.on("error", (error) => {
    // The server may end a connection before it reads that we end it.
    if (!pool.ending) deps.log.warn({ err: error }, "a database connection was lost");
  });
  // One that dies between two statements of a transaction says so nowhere else; its next statement fails.
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
      if (error !== undefined) deps.log.warn({ err: error }, "the listening database connection was lost");
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
