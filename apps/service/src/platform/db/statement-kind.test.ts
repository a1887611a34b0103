import { CompiledQuery } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { isRead } from "./statement-kind.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test.each(["select 1", "\n select name from workspace where id = $1", "select rate_used(w) from rate_window w"])(
  "%j counts as a read",
  (sql) => {
    expect(isRead(CompiledQuery.raw(sql))).toBe(true);
  },
);

test.each([
  "select pg_notify($1, '')",
  "select pg_advisory_xact_lock(1)",
  "select set_config('role', $1, true)",
  "select id from workspace where id = $1 for update skip locked",
  "select id from workspace for no key update",
  "select id from workspace for\n share",
  "with w as (select 1) select * from w",
  "update workspace set name = ''",
])("%j counts as a write", (sql) => {
  expect(isRead(CompiledQuery.raw(sql))).toBe(false);
});

test("a select that calls a volatile function of the schema counts as a write", async () => {
  const functions = await database.query<{ name: string }>(
    `select proname as name from pg_proc where pronamespace = 'public'::regnamespace and provolatile = 'v'
     and prorettype <> 'trigger'::regtype`,
  );
  expect(functions.length).toBeGreaterThan(0);
  expect(functions.filter(({ name }) => isRead(CompiledQuery.raw(`select ${name}($1)`)))).toEqual([]);
});
