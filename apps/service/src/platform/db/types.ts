import type { Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Instant } from "../../lib/lib.ts";
import type { HotStatement, HotWriter } from "./prepared.ts";
import type { Tables } from "./tables.generated.ts";
import type { Tenant } from "./tenant.ts";

/** Writes, at the end of a transaction, the items that were collected in it. */
export type Flush<Item> = (tx: Tx, items: readonly Item[]) => Promise<void>;

/**
 * Combines all that one request writes into one transaction. The first write inside `run` opens the transaction, and
 * later writes and their reads join it. Nothing is committed before `commit`. No connection is held before the first
 * write, so that look-ups and checks that wait for others come first.
 */
export interface Unit {
  run<T>(work: () => T): T;
  /**
   * Commits the writes of the unit together with those of `last`. Throws, with everything undone, when either fails.
   * Work that continues after the commit is not part of the unit.
   */
  commit(last: (tx: Tx) => Promise<void>): Promise<void>;
  rollback(): Promise<void>;
}

/** The query builder, on the pool or inside a transaction. */
export type Query = Kysely<Tables>;

/** Statements of `hot` and `commit` are part of the transaction. */
export interface Tx extends HotWriter {
  readonly query: Transaction<Tables>;
  /** Returns true if the rows of this bucket are on the transaction's shard. Always true on a plain PostgreSQL. */
  isHere(bucket: number): boolean;
  /**
   * Runs a callback after the commit, in order and outside of any unit; never when the transaction fails. Work that
   * continues after the request is started here.
   */
  onCommit(run: () => void): void;
  /**
   * Collects an item that is written at the very end: `flush` runs once, after everything else in the transaction, with
   * all of its items. Its locks are taken last, so that others wait for them no longer than a commit takes.
   */
  beforeCommit<Item>(flush: Flush<Item>, item: Item): void;
}

/** Inside a write's unit (see `unit`), all writes through `query`, `transaction`, `hot` and `commit` are part of it. */
export interface Db extends HotWriter {
  /** The builder, with one transaction per statement. */
  readonly query: Query;
  /** Opens a transaction. Only public entry functions do; nothing in it may wait for the network. */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Returns a unit of work: all that a request writes in one commit, which is made when its response is known
   * (docs/decisions/0025).
   */
  unit(): Unit;
  /**
   * Runs work that may touch only one tenant's rows: the database limits `query`, `transaction` and units inside it to
   * these rows.
   * `hot`, `commit` and `soft` outside of a unit are not limited, because they serve many tenants at once.
   */
  within<T>(tenant: Tenant, work: () => T): T;
  /**
   * Runs work on the shard of this bucket, when the database is distributed (docs/scaling.md); `within` does the same for
   * its tenant. Without either, statements run on the coordinator, which sees all rows but writes only tables that are
   * everywhere. On a plain PostgreSQL, it only runs the work.
   */
  at<T>(bucket: number, work: () => T): T;
  /** Returns the name of a bucket's shard. On a plain PostgreSQL, all buckets have the same. */
  shardOf(bucket: number): string | Promise<string>;
  /**
   * Runs work for the rows of each shard, on that shard, and returns the results in the order of the rows: `run` returns
   * one result for each of its rows, or nothing. On a plain PostgreSQL, it runs once for all rows.
   */
  byShard<Row, Out = void>(
    rows: readonly Row[],
    bucketOf: (row: Row) => number,
    run: (rows: readonly Row[]) => Promise<readonly Out[] | void>,
  ): Promise<Out[]>;
  /**
   * Runs a read or a sweep on each shard and returns all results. A shard that cannot be reached is logged and left out,
   * unless none can. On a plain PostgreSQL, it runs once.
   */
  onEachShard<Out>(run: () => Promise<readonly Out[]>): Promise<Out[]>;
  /**
   * Runs work on all places of a table: on each shard if it is distributed, one after another, and once otherwise. Throws
   * if a shard cannot be reached.
   */
  onAllPlaces(table: string, run: () => Promise<void>): Promise<void>;
  /** Runs a hot statement without waiting for the disk. If the database crashes, only a count is lost. */
  soft<Row extends pg.QueryResultRow>(statement: HotStatement, values: readonly unknown[]): Promise<Row[]>;
  /** The database's clock. */
  now(): Promise<Instant>;
  /**
   * Calls `heard` with the payload of each notification, and with an empty one after each reconnect, because notifications may have
   * been missed.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  notify(channel: string): Promise<void>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface DbDeps {
  readonly url: string;
  readonly poolSize: number;
  /** The maximum time that a connection in use may be silent; default: 20 s. */
  readonly silenceMs?: number;
  /** Identifies this process to others of this database: at most 40 characters. */
  readonly mark?: string;
  readonly log: { warn(fields: object, message: string): void };
}
