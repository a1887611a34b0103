import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";

interface Key {
  readonly table: string;
  readonly index: string;
  readonly primary: boolean;
  readonly columns: readonly string[];
}

/**
 * Tables that are read by key, token or tenant id before the shard is known. They are small, and Citus copies them to
 * every machine (reference tables).
 */
const EVERYWHERE = ["workspace", "api_key", "inbox"];

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test("unique keys of distributed tables contain `bucket`, and primary keys begin with it", async () => {
  const keys = await database.query<Key>(`
    select t.relname as "table", i.relname as "index", x.indisprimary as "primary",
      (select array_agg(a.attname::text order by k.at) from unnest(x.indkey::smallint[]) with ordinality as k (number, at)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number) as "columns"
    from pg_index x
    join pg_class t on t.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    where x.indisunique and t.relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute b where b.attrelid = t.oid and b.attname = 'bucket' and not b.attisdropped)`);
  expect(keys.length).toBeGreaterThan(30);
  // The planner may choose another key that begins with `bucket` instead of the primary key (docs/decisions/0256).
  const wrong = keys.filter(({ primary, columns }) =>
    primary ? columns[0] !== "bucket" : !columns.includes("bucket"),
  );
  expect(new Set(wrong.map((key) => key.table))).toEqual(new Set(EVERYWHERE));
});

test("foreign keys between distributed tables name the shard, and no sequence is shared", async () => {
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

const LOCKS = /for (?:no key )?(?:update|share)\b|\.for(?:NoKey)?(?:Update|Share)\(/;

const NAMES_BUCKET = /\bbucket\b|\bofTenant\(/;

test("a query that locks rows of one shard names the shard", async () => {
  const tables = await database.query<{ name: string }>(`
    select c.relname as "name" from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`);
  const distributed = tables.map(({ name }) => name).filter((name) => !EVERYWHERE.includes(name));
  const locking = (await storePieces()).filter(({ text }) => LOCKS.test(text));
  expect(locking.length).toBeGreaterThan(20);
  const ofOneBucket = new RegExp(`(?:from |join |selectFrom\\(")(?:${distributed.join("|")})\\b`);
  const wrong = locking.filter(({ text, whole }) => ofOneBucket.test(withHelpers(text, whole)));
  expect(wrong.filter(({ text, whole }) => !NAMES_BUCKET.test(withHelpers(text, whole)))).toEqual([]);
});

interface Piece {
  /** One function or statement, with its comment. */
  readonly text: string;
  readonly whole: string;
}

async function storePieces(): Promise<Piece[]> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const files = globSync("**/*.store.ts", { cwd });
  const texts = await Promise.all(files.map(async (file) => await readFile(`${cwd}/${file}`, "utf8")));
  return texts.flatMap((whole) => whole.split("\n\n").map((text) => ({ text, whole })));
}

/** Returns the text together with the functions of its file that build the beginning of its query. */
function withHelpers(text: string, whole: string): string {
  const called = [...text.matchAll(/\b(\w+)\((?:tx\.)?query,/g)].map(([, name]) => name);
  const helpers = whole.split("\n\n").filter((piece) => called.some((name) => piece.includes(`function ${name}(`)));
  return [text, ...helpers].join("\n");
}
