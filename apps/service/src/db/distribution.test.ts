import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";

interface Key {
  readonly table: string;
  readonly index: string;
  readonly first: string;
}

/** Looked up before any bucket is known, by key, token or tag: small, and on Citus on every machine (reference tables). */
const EVERYWHERE = ["workspace", "api_key", "inbox"];

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test("what is of one bucket can be distributed by it: each of its unique keys begins with `bucket`", async () => {
  const keys = await database.query<Key>(`
    select t.relname as "table", i.relname as "index", a.attname as "first"
    from pg_index x
    join pg_class t on t.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
    where x.indisunique and t.relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute b where b.attrelid = t.oid and b.attname = 'bucket' and not b.attisdropped)`);
  expect(keys.length).toBeGreaterThan(30);
  const wrong = keys.filter(({ first }) => first !== "bucket");
  expect(new Set(wrong.map((key) => key.table))).toEqual(new Set(EVERYWHERE));
});

test("foreign keys between such tables name the bucket on both sides, and there is no sequence that all buckets share", async () => {
  const everywhere = EVERYWHERE.map((name) => `'${name}'::regclass`).join(", ");
  const [found] = await database.query<{ foreign: string[]; sequences: string[] }>(`
    select
      (select coalesce(array_agg(c.conname::text), '{}') from pg_constraint c
        where c.contype = 'f' and c.confrelid not in (${everywhere})
          and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'bucket')
          and exists (select from pg_attribute a where a.attrelid = c.confrelid and a.attname = 'bucket')
          and not exists (
            select from pg_attribute a
            where a.attrelid = c.conrelid and a.attname = 'bucket' and a.attnum = any (c.conkey))) as "foreign",
      (select coalesce(array_agg(s.relname::text), '{}') from pg_class s
        where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace) as "sequences"`);
  expect(found).toEqual({ foreign: [], sequences: [] });
});
