import type { Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Instant } from "../../lib/lib.ts";
import type { HotStatement, HotWriter } from "./prepared.ts";
import type { Tables } from "./tables.generated.ts";
import type { Tenant } from "./tenant.ts";

/** Writes, at the end of a transaction, what was collected in it. */
export type Flush<Item> = (tx: Tx, items: readonly Item[]) => Promise<void>;

/**
 * All that one request writes: one transaction. The first write inside `run` opens it, later ones and their reads join it, and
 * nothing is committed before `commit`. No connection is held until then, so look-ups and checks that wait for others come first.
 */
export interface Unit {
  run<T>(work: () => T): T;
  /** Commits what was written, with what `last` adds. Throws, with everything undone, when either fails. Work that goes on later is on its own. */
  commit(last: (tx: Tx) => Promise<void>): Promise<void>;
  rollback(): Promise<void>;
}

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
