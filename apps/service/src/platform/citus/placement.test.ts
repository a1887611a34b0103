import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { shardsFor } from "./distribute.store.ts";
import { ANCHOR, PLACEMENT } from "./placement.ts";

/** Tables with a bucket that are read by key, token or tenant id before the bucket is known. */
const READ_BEFORE_BUCKET = ["api_key", "inbox", "workspace"];

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test("PLACEMENT names exactly the tables of the migrated schema", async () => {
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  expect(Object.keys(PLACEMENT).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
});

test("a table has the placement bucket exactly if rows have one", async () => {
  const tables = await database.query<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const withBucket = tables.map(({ name }) => name);
  const elsewhere = withBucket.filter((name) => PLACEMENT[name] !== "bucket");
  expect(elsewhere.toSorted()).toEqual(READ_BEFORE_BUCKET);
  expect(READ_BEFORE_BUCKET.map((name) => PLACEMENT[name])).toEqual(["everywhere", "everywhere", "everywhere"]);
  const placed = Object.keys(PLACEMENT).filter((name) => PLACEMENT[name] === "bucket");
  expect(placed.filter((name) => !withBucket.includes(name))).toEqual([]);
  expect(placed).toContain(ANCHOR);
});

test("no foreign key points from an everywhere table to a bucket table", async () => {
  const keys = await database.query<{ name: string; from: string; to: string }>(
    `select k.conname::text as name, f.relname::text as "from", t.relname::text as "to"
      from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0`,
  );
  const wrong = keys.filter(({ from, to }) => PLACEMENT[from] === "everywhere" && PLACEMENT[to] !== "everywhere");
  expect(keys.length).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

test("shardsFor returns a power of two from 8 to 64", () => {
  const workers = [1, 2, 3, 4, 5, 8, 9, 16, 17, 100];
  expect(workers.map(shardsFor)).toEqual([8, 8, 16, 16, 32, 32, 64, 64, 64, 64]);
});
