import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { createDb, migrate, sql } from "./db.ts";
import type { Db } from "./types.ts";

const MIGRATIONS = new URL("migrations/", import.meta.url);
const log = { warn: () => undefined };

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  db = createDb({ url: database.url, poolSize: 4, log });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Copies the migrations so that a test may change them. */
async function copiedMigrations(): Promise<{ url: URL; write(name: string, text: string): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "junction-migrations-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await cp(MIGRATIONS, folder, { recursive: true });
  return {
    url: pathToFileURL(`${folder}/`),
    write: async (name, text) => await writeFile(join(folder, name), text),
  };
}

test("migrating a migrated database changes nothing", async () => {
  expect(await migrate(database.url, MIGRATIONS)).toEqual([]);
});

test("nodes that start together on an empty database migrate it once", async () => {
  const [{ name } = { name: "" }] = await database.query<{ name: string }>("select current_database() as name");
  const empty = `${name}_empty`;
  await database.query(`create database ${empty} template template0`);
  const url = new URL(database.url);
  url.pathname = `/${empty}`;
  try {
    const applied = await Promise.all(Array.from({ length: 4 }, async () => await migrate(url.href, MIGRATIONS)));
    const names = (await readdir(MIGRATIONS)).toSorted();
    expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([names, [], [], []]);
  } finally {
    await database.query(`drop database ${empty}`);
  }
});

test("migrating refuses an edited migration and the database of a newer version", async () => {
  const changed = await copiedMigrations();
  await changed.write("0001_foundation.sql", "select 1;");
  await expect(migrate(database.url, changed.url)).rejects.toThrow(
    "Migration 0001_foundation.sql was changed after it was applied to this database. Only databases of released versions can be upgraded: start the version that made this one, restore a backup of a released version, or begin with an empty database",
  );

  await database.query("insert into schema_migration (name, checksum) values ('9999_later.sql', 'x')");
  await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow(
    "it was made by a newer version. Start that version, or restore the backup from before the upgrade",
  );
  await database.query("delete from schema_migration where name = '9999_later.sql'");
});

test("a migration that fails leaves no trace and runs after it is repaired", async () => {
  const folder = await copiedMigrations();
  await folder.write("9998_half.sql", "create table half (a int); select 1 / 0;");
  await expect(migrate(database.url, folder.url)).rejects.toThrow("9998_half.sql failed: division by zero");
  expect(await database.query("select to_regclass('half') as half")).toEqual([{ half: null }]);
  await folder.write("9998_half.sql", "create table half (a int);");
  expect(await migrate(database.url, folder.url)).toEqual(["9998_half.sql"]);
  await database.query("drop table half");
  await database.query("delete from schema_migration where name = '9998_half.sql'");
});

test("commit callbacks run in order after the commit, and not after a failure", async () => {
  const ran: string[] = [];
  const insert = async (fails: boolean): Promise<void> =>
    await db.transaction(async (tx) => {
      tx.onCommit(() => ran.push("first"));
      await sql`insert into replay_job (bucket, tag, id, endpoint_id, since, until, total)
        values (0, 'test0000', gen_random_uuid(), gen_random_uuid(), now(), now(), 0)`.execute(tx.query);
      tx.onCommit(() => ran.push("second"));
      expect(ran).toEqual([]);
      if (fails) throw new Error("no");
    });
  await expect(insert(true)).rejects.toThrow("no");
  expect(ran).toEqual([]);
  const written = "select count(*)::int as n from replay_job";
  expect(await database.query(written)).toEqual([{ n: 0 }]);
  await insert(false);
  expect(ran).toEqual(["first", "second"]);
  expect(await database.query(written)).toEqual([{ n: 1 }]);
});

test("a query of a transaction that has ended fails", async () => {
  const escaped = await db.transaction(async (tx) => await Promise.resolve(tx.query));
  await expect(sql`select 1`.execute(escaped)).rejects.toThrow();
});

test("a listener gets every node's notifications and is called again after a lost connection", async () => {
  const proxy = await startDatabaseProxy(database.url);
  const node = createDb({ url: proxy.url, poolSize: 2, log });
  let heard = 0;
  const stop = await node.listen("test_channel", () => {
    heard += 1;
  });
  try {
    expect(heard).toBe(1);
    await db.notify("test_channel");
    await expect.poll(() => heard).toBe(2);
    proxy.cut();
    await db.notify("test_channel");
    proxy.restore();
    // Missed notifications are not repeated. The reconnect itself calls the listener.
    await expect.poll(() => heard).toBe(3);
    await db.notify("test_channel");
    await expect.poll(() => heard).toBe(4);
    expect(await node.now()).toBeGreaterThan(0);
  } finally {
    await stop();
    await node.close();
  }
});

test("a listener that is stopped while it reconnects leaves no connection behind", async () => {
  const proxy = await startDatabaseProxy(database.url);
  const node = createDb({ url: proxy.url, poolSize: 1, log });
  const stop = await node.listen("test_channel", () => undefined);
  await node.close();
  proxy.cut();
  proxy.hold();
  await proxy.waiting(1);
  const stopped = stop();
  proxy.restore();
  await stopped;
  // The connection attempts that were let through had time to arrive.
  await sleep(300);
  const listening =
    "select count(*)::int as n from pg_stat_activity where application_name like 'junction listen%' and datname = current_database()";
  expect(await database.query(listening)).toEqual([{ n: 0 }]);
});
