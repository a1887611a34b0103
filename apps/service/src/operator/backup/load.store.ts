import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { readLayout, SCHEMA_LOCK, UNFINISHED } from "../../platform/db/db.ts";
import { BackupError } from "./fault.ts";
import type { Partition, TableEntry } from "./manifest.ts";
import { FORMS, listOf, OUR_TABLES } from "./snapshot.store.ts";

/** The content of the database that a backup is restored into. */
export type Content = "nothing" | "unused" | "used" | "unfinished" | "other" | "distributed";

/** A database that no other process of Junction uses during the restore. */
export interface Target {
  content(): Promise<Content>;
  /** Marks the database as unfinished, from before the first change until `complete`. */
  begin(file: string): Promise<void>;
  /** Removes all tables and routines of Junction. */
  clear(): Promise<void>;
  /** Fills the tables in one transaction, which is rolled back if `fill` throws. */
  load(partitions: readonly Partition[], fill: (loader: Loader) => Promise<void>): Promise<void>;
  complete(): Promise<void>;
  close(): Promise<void>;
}

export interface Loader {
  /** Loads rows in PostgreSQL's text format and returns their number. */
  rows(table: TableEntry, texts: AsyncIterable<Buffer>): Promise<number>;
}

/**
 * Offsets that were given after the backup are given again to other messages, so consumers have to see that. Deliveries that wait for an
 * offset or for a place in their lane come before those of the new server, whose transactions have other numbers. Events are late only for
 * readers of the old server.
 */
const NEW_EPOCH = `update pull_log set epoch = gen_random_uuid();
  update pull_consumer set lease_id = null, lease_expires_at = null;
  update pending_delivery set xact = '0' where xact is not null;
  update pending_delivery set lane_xact = '0' where lane_xact is not null;
  update event set late_xact = null where late_xact is not null`;

/** Throws BackupError if Junction, or another restore or backup, uses the database. */
export async function openTarget(url: string): Promise<Target> {
  const client = new pg.Client({ connectionString: url, application_name: "junction restore" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(FORMS);
    await assertExclusive(client);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    content: async () => await contentOf(client),
    begin: async (file) => await begin(client, file),
    clear: async () => await clear(client),
    load: async (partitions, fill) => await load(client, partitions, fill),
    complete: async () => {
      await client.query(NEW_EPOCH);
      await client.query("analyze");
      await client.query(`drop table ${UNFINISHED}`);
    },
    close: async () => await client.end(),
  };
}

async function assertExclusive(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [SCHEMA_LOCK]);
  if (rows[0]?.locked !== true)
    throw new BackupError("Another restore or backup is running on this database. Wait until it ends.");
  let others = await othersOn(client);
  // The connections of a stopped node end a moment after it.
  for (let tries = 10; others > 0 && tries > 0; tries -= 1) {
    await sleep(200);
    others = await othersOn(client);
  }
  if (others > 0)
    throw new BackupError(
      `Junction is running on this database (${others} connections). Stop every node first, and start them after the restore.`,
    );
}

async function othersOn(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'junction%'`,
  );
  return rows[0]?.others ?? 0;
}

async function contentOf(client: pg.Client): Promise<Content> {
  if ((await readLayout(client)) !== undefined) return "distributed";
  const { rows } = await client.query<{ tables: number; ours: boolean; unfinished: boolean }>(
    `select (select count(*)::int from pg_class c where ${OUR_TABLES}) as tables,
       to_regclass('public.workspace') is not null and to_regclass('public.schema_migration') is not null as ours,
       to_regclass($1) is not null as unfinished`,
    [`public.${UNFINISHED}`],
  );
  const [{ tables, ours, unfinished } = { tables: 0, ours: false, unfinished: false }] = rows;
  if (unfinished) return "unfinished";
  if (tables === 0) return "nothing";
  if (!ours) return "other";
  const { rowCount } = await client.query("select from workspace limit 1");
  return rowCount === 0 ? "unused" : "used";
}

async function begin(client: pg.Client, file: string): Promise<void> {
  await client.query(
    `create table if not exists ${UNFINISHED} (file text not null, begun_at timestamptz not null default now())`,
  );
  await client.query(`insert into ${UNFINISHED} (file) values ($1)`, [file]);
}

/**
 * Drops each table in its own statement, because a transaction over thousands of partitions needs more locks than a
 * server has.
 */
async function clear(client: pg.Client): Promise<void> {
  const partitions = await client.query<{ name: string }>(
    `select child.relname::text as name from pg_inherits i join pg_class child on child.oid = i.inhrelid
     join pg_class c on c.oid = i.inhparent where ${OUR_TABLES} and child.relkind = 'r'`,
  );
  const tables = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_class c where ${OUR_TABLES} and c.relname <> '${UNFINISHED}'`,
  );
  for (const { name } of [...partitions.rows, ...tables.rows])
    await client.query(`drop table if exists ${pg.escapeIdentifier(name)} cascade`);
  const routines = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p where p.pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  );
  for (const { signature } of routines.rows) await client.query(`drop routine if exists ${signature} cascade`);
}

interface ForeignKey {
  readonly on: string;
  readonly name: string;
  readonly definition: string;
}

/** Disables triggers, which would check old rows against today's rules, and adds the foreign keys at the end. */
async function load(
  client: pg.Client,
  partitions: readonly Partition[],
  fill: (loader: Loader) => Promise<void>,
): Promise<void> {
  await client.query("begin");
  try {
    const tables = await tablesOf(client);
    const keys = await client.query<ForeignKey>(
      `select conrelid::regclass::text as on, conname::text as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
    );
    for (const name of tables) await client.query(`alter table ${name} disable trigger user`);
    for (const { on, name } of keys.rows)
      await client.query(`alter table ${on} drop constraint ${pg.escapeIdentifier(name)}`);
    for (const partition of partitions) await createPartition(client, partition);
    await fill({ rows: async (table, texts) => await copy(client, table, texts) });
    for (const { on, name, definition } of keys.rows)
      await client.query(`alter table ${on} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
    for (const name of tables) await client.query(`alter table ${name} enable trigger user`);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_class c where ${OUR_TABLES} and c.relname <> '${UNFINISHED}'`,
  );
  return rows.map(({ name }) => pg.escapeIdentifier(name));
}

async function createPartition(client: pg.Client, { name, parent, from, to }: Partition): Promise<void> {
  const [part, whole] = [pg.escapeIdentifier(name), pg.escapeIdentifier(parent)];
  const bounds = `from (${pg.escapeLiteral(from)}) to (${pg.escapeLiteral(to)})`;
  await client.query(`create table if not exists ${part} partition of ${whole} for values ${bounds}`);
}

async function copy(client: pg.Client, { name, columns }: TableEntry, texts: AsyncIterable<Buffer>): Promise<number> {
  const into = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${listOf(columns)}) from stdin`));
  const failed = once(into, "error").then(([error]) =>
    Promise.reject(error instanceof Error ? error : new Error(String(error))),
  );
  const finished = once(into, "finish");
  // Only one of the two ever happens, and nothing awaits them while rows are read.
  failed.catch(() => undefined);
  finished.catch(() => undefined);
  try {
    for await (const text of texts) if (!into.write(text)) await Promise.race([once(into, "drain"), failed]);
  } catch (error) {
    into.destroy();
    throw error;
  }
  into.end();
  await Promise.race([finished, failed]);
  return into.rowCount;
}
