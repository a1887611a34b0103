import { afterEach, expect, test } from "vitest";
import { isPassing } from "../../lib/lib.ts";
import { cloneDatabase } from "../../testing/database.ts";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { createDb, sql } from "./db.ts";
import type { Db } from "./types.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function started(): Promise<{ db: Db; proxy: Awaited<ReturnType<typeof startDatabaseProxy>> }> {
  const database = await cloneDatabase();
  closing.push(async () => await database.drop());
  const proxy = await startDatabaseProxy(database.url);
  const db = createDb({ url: proxy.url, poolSize: 2, silenceMs: 500, log: { warn: () => undefined } });
  closing.push(async () => {
    // The database does not notice a closed connection while no packets pass.
    proxy.restore();
    await db.close();
  });
  return { db, proxy };
}

test("statements whose response is lost fail as temporary, also inside a transaction", async () => {
  const { db, proxy } = await started();
  expect(await db.now()).toBeGreaterThan(0);
  let swallowed: unknown;
  const inside = db.transaction(async (tx) => {
    await sql`select 1`.execute(tx.query);
    proxy.swallow();
    await sql`select 2`.execute(tx.query).catch((error: unknown) => {
      swallowed = error;
      throw error;
    });
  });
  // Otherwise, the test ends by its timeout: TCP would wait for a quarter of an hour.
  await expect(inside).rejects.toThrow();
  expect(isPassing(swallowed)).toBe(true);
});

test("the pool reconnects by itself after a lost connection", async () => {
  const { db, proxy } = await started();
  await db.now();
  proxy.swallow();
  const refused: unknown = await db.now().catch((error: unknown) => error);
  expect(isPassing(refused)).toBe(true);
  proxy.restore();
  expect(await db.now()).toBeGreaterThan(0);
});

test("a connection that is not in use may be silent", async () => {
  const { db } = await started();
  const pid = async (): Promise<unknown> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.query)).rows[0]?.pid;
  const first = await pid();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await pid()).toBe(first);
});
