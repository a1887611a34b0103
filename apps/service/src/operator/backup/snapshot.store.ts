import { Readable } from "node:stream";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { atOneMoment, BUCKET_TABLES, SCHEMA_LOCK, UNFINISHED } from "../../platform/db/db.ts";
import type { Moment } from "../../platform/db/db.ts";
import { systemClock } from "../../lib/lib.ts";
import type { Clock, Instant } from "../../lib/lib.ts";
import { BackupError } from "./fault.ts";
import type { AppliedMigration, Partition } from "./manifest.ts";

export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The number of rows that the database estimates. */
  readonly rows: number;
}

/** The whole database at one moment, independent of later writes. */
export interface Snapshot {
  /** A time that is not later than the moment: the snapshot contains everything that was committed before. */
  readonly takenAt: Instant;
  readonly tables: readonly TableShape[];
  readonly partitions: readonly Partition[];
  readonly migrations: readonly AppliedMigration[];
  readonly serverVersion: string;
  /** Returns the rows in PostgreSQL's text format, one per line. */
  rows(table: TableShape): Readable;
  close(): Promise<void>;
}

/** Settings that give text the same meaning on every server. */
export const FORMS = `set client_encoding = 'UTF8'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 3; set bytea_output = 'hex'; set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** Selects the tables of Junction in the schema, without partitions and the tables of extensions. */
export const OUR_TABLES = `c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

const TABLES = `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns,
    greatest(0, case c.relkind when 'r' then c.reltuples else (select sum(greatest(p.reltuples, 0))
      from pg_partition_tree(c.oid) t join pg_class p on p.oid = t.relid where t.isleaf) end)::float8 as rows
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where ${OUR_TABLES} and c.relname <> all ('{schema_migration, shard_trigger, ${UNFINISHED}}')
  group by c.oid order by c.relname`;

const PARTITIONS = `select child.relname::text as name, c.relname::text as parent, pg_get_expr(child.relpartbound, child.oid) as bound
  from pg_inherits i join pg_class child on child.oid = i.inhrelid join pg_class c on c.oid = i.inhparent
  where ${OUR_TABLES} and c.relkind = 'p' order by child.relname`;

export async function openSnapshot(url: string, clock: Clock = systemClock): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, application_name: "junction backup" });
  // A lost connection fails the query that runs on it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(FORMS);
    await client.query("select pg_advisory_lock_shared($1)", [SCHEMA_LOCK]);
    await assertOwnDatabase(client);
    const names = await client.query<{ name: string }>(`select c.relname as name from pg_class c where ${OUR_TABLES}`);
    const times: Instant[] = [];
    const shards = await atOneMoment(client, url, FORMS, async () => {
      await client.query("begin isolation level repeatable read read only");
      // The locks come before the transaction's first query, so that it sees everything that was committed before them.
      await client.query(
        `lock table ${names.rows.map(({ name }) => pg.escapeIdentifier(name)).join(", ")} in access share mode`,
      );
      times.push(clock.now());
    });
    const [takenAt] = times;
    if (takenAt === undefined) throw new Error("the backup's transaction did not begin");
    return { takenAt, ...(await describe(client, shards)) };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function assertOwnDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ ours: boolean; unfinished: boolean }>(
    `select to_regclass('public.schema_migration') is not null as ours, to_regclass($1) is not null as unfinished`,
    [`public.${UNFINISHED}`],
  );
  if (rows[0]?.ours !== true)
    throw new BackupError("There is nothing to back up: Junction is not set up in this database.");
  if (rows[0].unfinished)
    throw new BackupError("This database has an unfinished restore. Run `junction restore <file>` again first.");
}

async function describe(client: pg.Client, moment: Moment | undefined): Promise<Omit<Snapshot, "takenAt">> {
  const tables = await tablesOf(client, moment);
  const partitions = await client.query<{ name: string; parent: string; bound: string }>(PARTITIONS);
  const migrations = await client.query<AppliedMigration>("select name, checksum from schema_migration order by name");
  const server = await client.query<{ server_version: string }>("show server_version");
  return {
    tables,
    partitions: partitions.rows.filter(({ bound }) => bound !== "DEFAULT").map((row) => partitionOf(row)),
    migrations: migrations.rows,
    serverVersion: server.rows[0]?.server_version ?? "",
    rows: ({ name, columns }) =>
      moment !== undefined && BUCKET_TABLES.includes(name)
        ? Readable.from(rowsOfShards(moment, name, columns))
        : rowsIn(client, pg.escapeIdentifier(name), columns),
    async close() {
      await moment?.close();
      await client.end();
    },
  };
}

function rowsIn(client: pg.Client, relation: string, columns: readonly string[]): Readable {
  return client.query(copyTo(`copy (select ${listOf(columns)} from ${relation}) to stdout`));
}

async function* rowsOfShards({ shards }: Moment, name: string, columns: readonly string[]): AsyncGenerator<Buffer> {
  for (const { client, schema } of shards) yield* rowsIn(client, `${schema}.${pg.escapeIdentifier(name)}`, columns);
}

/** Returns the tables. The coordinator of several machines does not know the number of rows on the others. */
async function tablesOf(client: pg.Client, moment: Moment | undefined): Promise<TableShape[]> {
  const { rows: tables } = await client.query<TableShape>(TABLES);
  const counts = new Map(tables.map(({ name, rows }) => [name, rows]));
  for (const shard of moment?.shards ?? []) {
    const { rows: found } = await shard.client.query<{ name: string; rows: number }>(
      `select name, sum(greatest(c.reltuples, 0))::float8 as rows
        from unnest($1::text[]) name, pg_partition_tree(${shard.schema}.own_table(name)::regclass) t join pg_class c on c.oid = t.relid
        where t.isleaf group by name`,
      [BUCKET_TABLES],
    );
    for (const { name, rows } of found) counts.set(name, (counts.get(name) ?? 0) + rows);
  }
  return tables.map((table) => ({ ...table, rows: counts.get(table.name) ?? 0 }));
}

const RANGE = /^FOR VALUES FROM \('([0-9a-f-]{36})'\) TO \('([0-9a-f-]{36})'\)$/;

function partitionOf({ name, parent, bound }: { name: string; parent: string; bound: string }): Partition {
  const [, from, to] = RANGE.exec(bound) ?? [];
  if (from === undefined || to === undefined)
    throw new Error(`the partition ${name} of ${parent} is not of our form: ${bound}`);
  return { name, parent, from, to };
}

export function listOf(columns: readonly string[]): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(", ");
}
