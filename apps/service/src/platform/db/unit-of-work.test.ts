import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createBatcher, createIdMaker, newTag, systemClock } from "../../lib/lib.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { createDb } from "./db.ts";
import type { Unit } from "./db.ts";
import type { Db, Query } from "./types.ts";

const ids = createIdMaker(systemClock);
let database: TestDatabase;
let db: Db;
let unit: Unit;
beforeAll(async () => {
  database = await cloneDatabase();
  db = createDb({ url: database.url, poolSize: 4, log: { warn: () => undefined } });
});
beforeEach(async () => {
  await database.query("delete from workspace");
  unit = db.unit();
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function insert(query: Query, name: string): Promise<void> {
  await query.insertInto("workspace").values({ id: ids.uuid(), tag: newTag(), bucket: 1, name }).execute();
}

async function read(query: Query): Promise<string[]> {
  return (await query.selectFrom("workspace").select("name").orderBy("name").execute()).map((row) => row.name);
}

async function committed(): Promise<string[]> {
  return (await database.query<{ name: string }>("select name from workspace order by name")).map((row) => row.name);
}

const nothing = async (): Promise<void> => await Promise.resolve();

test("a unit commits its writes at once, with those added at the end", async () => {
  await unit.run(async () => {
    await insert(db.query, "a");
    await db.transaction(async (tx) => await insert(tx.query, "b"));
    await db.hot({ name: "unit_test", text: "update workspace set name = name || $1" }, ["!"]);
    expect(await read(db.query)).toEqual(["a!", "b!"]);
  });
  expect(await committed()).toEqual([]);
  await unit.commit(async (tx) => await insert(tx.query, "c"));
  expect(await committed()).toEqual(["a!", "b!", "c"]);
});

test("a unit holds no connection before its first write", async () => {
  const own = createDb({ url: database.url, poolSize: 1, log: { warn: () => undefined } });
  const mine = own.unit();
  await mine.run(async () => {
    await read(own.query);
    expect(own.stats()).toMatchObject({ total: 1, idle: 1 });
    await insert(own.query, "a");
    expect(own.stats()).toMatchObject({ total: 2, idle: 1 });
  });
  await mine.rollback();
  expect(own.stats()).toMatchObject({ total: 2, idle: 2 });
  await own.close();
});

test("a notification inside a unit is sent by its commit, not by its rollback", async () => {
  const heard: number[] = [];
  const unlisten = await db.listen("unit_notified", () => heard.push(Date.now()));
  const before = heard.length;
  await unit.run(async () => await db.notify("unit_notified"));
  await unit.rollback();
  const kept = db.unit();
  await kept.run(async () => await db.notify("unit_notified"));
  await database.query("select pg_sleep(0.1)");
  expect(heard).toHaveLength(before);
  await kept.commit(nothing);
  await expect.poll(() => heard.length).toBe(before + 1);
  await unlisten();
});

test("a select that locks rows before the first write holds them until the commit", async () => {
  await insert(db.query, "a");
  const free = async (): Promise<number> =>
    (await database.query("select from workspace for update skip locked")).length;
  await unit.run(async () => await db.query.selectFrom("workspace").select("id").forUpdate().execute());
  expect(await free()).toBe(0);
  await unit.commit(nothing);
  expect(await free()).toBe(1);
  const hot = db.unit();
  await hot.run(async () => await db.hot({ name: "unit_lock", text: "select id from workspace for share" }, []));
  expect(await free()).toBe(0);
  await hot.rollback();
  expect(await free()).toBe(1);
});

test("a unit that is rolled back or fails releases its connection and leaves nothing", async () => {
  const before = db.stats();
  await unit.run(async () => await insert(db.query, "a"));
  await unit.rollback();
  const failing = db.unit();
  await failing.run(async () => await insert(db.query, "b"));
  await expect(failing.commit(async () => await Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await committed()).toEqual([]);
  expect(db.stats().waiting).toBe(before.waiting);
  expect(db.stats().total).toBe(db.stats().idle);
});

test("a transaction that throws inside a unit is undone alone, its callbacks too", async () => {
  const told: string[] = [];
  await unit.run(async () => {
    await expect(
      db.transaction(async (tx) => {
        await insert(tx.query, "first");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await insert(db.query, "a");
    await expect(
      db.transaction(async (tx) => {
        tx.onCommit(() => told.push("b"));
        await insert(tx.query, "b");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await expect(
      db.query
        .insertInto("member")
        .values({} as never)
        .execute(),
    ).rejects.toThrow();
    await db.transaction(async (tx) => {
      tx.onCommit(() => told.push("c"));
      await insert(tx.query, "c");
      await db.transaction(async (inner) => await insert(inner.query, "d"));
    });
    expect(told).toEqual([]);
  });
  await unit.commit(nothing);
  expect(await committed()).toEqual(["a", "c", "d"]);
  expect(told).toEqual(["c"]);
});

test("concurrent transactions in a unit take turns, so that a rollback affects only one", async () => {
  await unit.run(async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, async (_, at) => {
        await db.transaction(async (tx) => {
          await insert(tx.query, `n${at}`);
          await read(db.query);
          if (at % 2 === 1) throw new Error("odd");
        });
      }),
    );
    expect(outcomes.filter((one) => one.status === "rejected")).toHaveLength(5);
  });
  await unit.commit(nothing);
  expect(await committed()).toEqual(["n0", "n2", "n4", "n6", "n8"]);
});

test("work after the end of a unit, or started by its commit, is independent", async () => {
  let later: Promise<void> = Promise.resolve();
  const going = unit.run(async () => {
    await db.transaction(async (tx) => {
      await insert(tx.query, "a");
      tx.onCommit(() => {
        later = db.transaction(async (own) => await insert(own.query, "b"));
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await insert(db.query, "c");
  });
  await unit.commit(nothing);
  await Promise.all([going, later]);
  expect(await committed()).toEqual(["a", "b", "c"]);
});

test("an unawaited write is committed with the rest or fails as a whole", async () => {
  const slow = unit.run(
    async () =>
      await db.transaction(async (tx) => {
        await insert(tx.query, "a");
        await new Promise((resolve) => setTimeout(resolve, 30));
        await insert(tx.query, "b");
      }),
  );
  await unit.commit(nothing);
  await slow;
  expect(await committed()).toEqual(["a", "b"]);
});

test("a batch shared with other requests is not part of the unit", async () => {
  const batcher = createBatcher<string, null>({
    maxSize: 10,
    run: async (names) => {
      for (const name of names) await insert(db.query, name);
      return names.map(() => null);
    },
  });
  await unit.run(async () => {
    await insert(db.query, "unit");
    await batcher.add("batch");
  });
  await unit.rollback();
  expect(await committed()).toEqual(["batch"]);
});

test("collected items are written once, just before the commit, without those rolled back", async () => {
  const flushes: string[][] = [];
  const flush = async (tx: { readonly query: Query }, names: readonly string[]): Promise<void> => {
    flushes.push([...names]);
    for (const name of names) await insert(tx.query, name);
  };
  await unit.run(async () => {
    await db.transaction(async (tx) => {
      tx.beforeCommit(flush, "a");
      await insert(tx.query, "first");
    });
    await expect(
      db.transaction(async (tx) => {
        tx.beforeCommit(flush, "undone");
        await insert(tx.query, "b");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await db.transaction(async (tx) => {
      tx.beforeCommit(flush, "c");
      await insert(tx.query, "second");
    });
    expect(flushes).toEqual([]);
  });
  await unit.commit(async (tx) => await insert(tx.query, "last"));
  expect(flushes).toEqual([["a", "c"]]);
  expect(await committed()).toEqual(["a", "c", "first", "last", "second"]);
});

test("a transaction whose collected rows cannot be written leaves nothing", async () => {
  const failing = db.transaction(async (tx) => {
    tx.beforeCommit(async () => await Promise.reject(new Error("full")), "a");
    await insert(tx.query, "a");
  });
  await expect(failing).rejects.toThrow("full");
  expect(await committed()).toEqual([]);
});
