import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { completeMigration, startFault } from "../citus/citus.ts";
import { DatabaseRefusedError, SCHEMA_LOCK, UNFINISHED } from "./schema-lock.ts";

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** An arbitrary number, so that nodes that start together migrate one after another. */
const LOCK = 4_921_076;
/**
 * Gives every table its row-level security policies, regardless of which migration creates it (0009_second_wall.sql).
 */
const WALL = `do $$ begin if to_regprocedure('second_wall()') is not null then perform second_wall(); end if; end $$`;
const OLDEST_SERVER = 150_000;
const PAGE = "docs/guide/upgrade.md#a-database-that-is-refused";

export interface MigrateOptions {
  /**
   * For a restore, which holds the schema lock itself. `only` names the migrations to apply to the database that is
   * being restored.
   */
  readonly restoring?: { readonly only?: readonly string[] };
  /** For `junction distribute`: the tables need not be distributed yet. */
  readonly distributing?: true;
}

/**
 * Applies the missing migrations in order, each in its own transaction. Refuses a database whose migrations differ from
 * ours, one whose restore was not completed, and a Citus of several machines that is not distributed.
 */
export async function migrate(url: string, folder: URL, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { restoring } = options;
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString: url, application_name: "junction migrate" });
  await client.connect();
  try {
    await assertServerVersion(client);
    if (restoring === undefined) await assertRestoreFinished(client);
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    await client.query(`create table if not exists schema_migration
      (name text primary key, checksum text not null, applied_at timestamptz not null default now())`);
    const applied = await readApplied(client);
    assertKnownMigrations(applied, migrations);
    const missing = migrations.filter(
      ({ name }) => !applied.has(name) && (restoring?.only === undefined || restoring.only.includes(name)),
    );
    if (missing.length > 0 && restoring === undefined) await client.query("select pg_advisory_lock($1)", [SCHEMA_LOCK]);
    for (const migration of missing) await apply(client, migration);
    if (missing.length > 0) await completeMigration(client, url);
    const fault = restoring === undefined && options.distributing !== true ? await startFault(client, url) : undefined;
    if (fault !== undefined) throw new DatabaseRefusedError(fault);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/** Compares a database's migrations with those of this version. */
export interface MigrationState {
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  /** The reason why this version cannot run on the database; null if it can. */
  readonly fault: string | null;
}

/** Reads the state and changes nothing. Throws if the database cannot be queried. */
export async function migrationState(url: string, folder: URL): Promise<MigrationState> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString: url, application_name: "junction doctor" });
  await client.connect();
  try {
    const { rows } = await client.query("select to_regclass('public.schema_migration') as found");
    const applied = rows[0]?.found === null ? new Map<string, string>() : await readApplied(client);
    const missing = migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
    const fault = await checkFault(async () => {
      await assertServerVersion(client);
      await assertRestoreFinished(client);
      assertKnownMigrations(applied, migrations);
    });
    return { applied: [...applied.keys()], missing, fault };
  } finally {
    await client.end();
  }
}

async function checkFault(check: () => Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof DatabaseRefusedError) return error.message;
    throw error;
  }
}

async function assertRestoreFinished(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select to_regclass($1) as found", [`public.${UNFINISHED}`]);
  if (rows[0]?.found !== null)
    throw new DatabaseRefusedError(
      "This database holds a part of a backup: its restore was not completed. Run `junction restore <file>` again. It starts from the beginning.",
    );
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from schema_migration order by name",
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function assertServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
  const version = Number(rows[0]?.version);
  if (version < OLDEST_SERVER)
    throw new DatabaseRefusedError(
      `PostgreSQL 15 or later is required; this server is ${Math.floor(version / 10_000)}`,
    );
}

/** Returns all migrations of this version, in order. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

function assertKnownMigrations(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const [name, checksum] of applied) {
    const ours = known.get(name);
    if (ours === undefined)
      throw new DatabaseRefusedError(
        `The database has migration ${name}, which this version does not know: it was made by a newer version. Start that version, or restore the backup from before the upgrade (${PAGE}).`,
      );
    if (ours !== checksum)
      throw new DatabaseRefusedError(
        `Migration ${name} was changed after it was applied to this database. Only databases of released versions can be upgraded: start the version that made this one, restore a backup of a released version, or begin with an empty database (${PAGE}).`,
      );
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.text);
    await client.query(WALL);
    await client.query("insert into schema_migration (name, checksum) values ($1, $2)", [
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
