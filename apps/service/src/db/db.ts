import { Kysely, PostgresDialect } from "kysely";
import type { Transaction } from "kysely";
import pg from "pg";
import { instant } from "../kernel/kernel.ts";
import type { Instant } from "../kernel/kernel.ts";
import type { Tables } from "./tables.generated.ts";

export { sql } from "kysely";
export type { Selectable } from "kysely";
export type { Tables } from "./tables.generated.ts";
export { columnOf } from "./column.ts";
export { createMaintenance } from "./maintenance.worker.ts";
export { migrate } from "./migrate.ts";
export { startEmbedded, EmbeddedError } from "./embedded.ts";
export { runningEmbedded } from "./embedded-running.ts";
export type { Embedded } from "./embedded.ts";

/** A statement that runs on every request or poll: sent by name, so that it is parsed and planned once a connection. */
export interface HotStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * One module's share of a statement that several write together, so that what belongs to one commit costs one round trip.
 * `text` gets the number of its first parameter and gives comma-separated CTEs.
 */
export interface CommitPart {
  readonly name: string;
  text(first: number): string;
  readonly values: readonly unknown[];
}

/** The query builder, on the pool or inside a transaction. */
export type Query = Kysely<Tables>;

export interface Tx {
  readonly query: Transaction<Tables>;
  /** Runs after the commit, in order; never when the transaction fails. */
  onCommit(run: () => void): void;
}

export interface Db {
  /** The builder, one statement a transaction. */
  readonly query: Query;
  /** Opens a transaction. Only front doors do; nothing in it may wait for the network. */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  hot<Row extends pg.QueryResultRow>(statement: HotStatement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs the parts as one statement, in one transaction; `final` is its closing select. */
  commit<Row extends pg.QueryResultRow>(parts: readonly CommitPart[], final: string): Promise<Row[]>;
  /** The same for writes whose loss in a crash of the database costs nothing but a count: they do not wait for the disk. */
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
  readonly log: { warn(fields: object, message: string): void };
}

/** Connects on the first query, so that the routes can be built, and documented, where there is no database. */
export function createDb(deps: DbDeps): Db {
  const pool = openPool(deps, deps.poolSize, "junction");
  const softPool = openPool(deps, 3, "junction soft", "-c synchronous_commit=off");
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    query,
    transaction: async (run) => {
      const committed: (() => void)[] = [];
      const result = await query
        .transaction()
        .execute(async (trx) => await run({ query: trx, onCommit: (then) => committed.push(then) }));
      for (const then of committed) then();
      return result;
    },
    hot: async (statement, values) => await runHot(pool, statement, values),
    commit: async (parts, final) => await runHot(pool, ...composed(parts, final)),
    soft: async (statement, values) => await runHot(softPool, statement, values),
    now: async () => {
      const { rows } = await pool.query<{ ms: string }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
      );
      return instant(Number(rows[0]?.ms));
    },
    listen: async (channel, heard) => await listen(deps, channel, heard),
    notify: async (channel) => {
      await pool.query("select pg_notify($1, '')", [channel]);
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await Promise.all([pool.end(), softPool.end()]);
    },
  };
}

function openPool(deps: DbDeps, max: number, name: string, options?: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: deps.url,
    max,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    ...(options === undefined ? {} : { options }),
  });
  // An idle connection that dies is replaced on the next use; without a listener it would end the process.
  pool.on("error", (error) => deps.log.warn({ err: error }, "a database connection was lost"));
  return pool;
}

async function runHot<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: HotStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name: statement.name, text: statement.text, values: [...values] });
  return rows;
}

const composedTexts = new Map<string, HotStatement>();

function composed(parts: readonly CommitPart[], final: string): [HotStatement, unknown[]] {
  const name = `commit_${parts.map((part) => part.name).join("_")}`;
  let statement = composedTexts.get(name);
  if (statement === undefined) {
    let first = 1;
    const texts = parts.map((part) => {
      const text = part.text(first);
      first += part.values.length;
      return text;
    });
    statement = { name, text: `with ${texts.join(",\n")} ${final}` };
    composedTexts.set(name, statement);
  }
  return [statement, parts.flatMap((part) => part.values)];
}

async function listen(deps: DbDeps, channel: string, heard: () => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    if (stopped) return;
    const next = new pg.Client({ connectionString: deps.url, application_name: "junction listen", keepAlive: true });
    let lost = false;
    const again = (error?: Error): void => {
      if (lost || stopped) return;
      lost = true;
      if (error !== undefined) deps.log.warn({ err: error }, "the listening database connection was lost");
      next.end().catch(() => undefined);
      retry = setTimeout(() => void connect(), 1000);
    };
    next.on("error", again);
    next.on("end", () => again());
    next.on("notification", heard);
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      client = next;
      heard();
    } catch (error) {
      again(error instanceof Error ? error : new Error(String(error)));
    }
  }

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end();
  };
}
