import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Uuid } from "../../lib/lib.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { columnOf } from "./column.ts";
import type { ColumnOf } from "./column.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const text = fc.string({ unit: "binary", maxLength: 300 }).map((value) => value.toWellFormed().replaceAll("\0", ""));
const moment = fc.date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });

interface Case {
  readonly type: string;
  /** Compares the values that reach the database with the expected ones. */
  check(): Promise<void>;
}

function reaches<Value>(
  type: string,
  value: fc.Arbitrary<Value>,
  column: ColumnOf<Value>,
  shown: (read: unknown) => unknown,
): Case {
  const rowsOf = fc.array(fc.option(value), { maxLength: 20 });
  const statement = `select value from unnest($1::${type}[]) with ordinality as u (value, at) order by at`;
  return {
    type,
    check: async () =>
      await fc.assert(
        fc.asyncProperty(rowsOf, async (sent) => {
          const { rows } = await client.query<{ value: unknown }>(statement, [column(sent, (one) => one)]);
          expect(rows.map((row) => shown(row.value))).toEqual(sent.map(shown));
        }),
        { numRuns: 40 },
      ),
  };
}

const CASES: readonly Case[] = [
  reaches("boolean", fc.boolean(), columnOf.boolean, same),
  reaches("bytea", fc.uint8Array(), columnOf.bytea, bytes),
  reaches("bigint", fc.maxSafeInteger(), columnOf.bigint, numeric),
  reaches("smallint", fc.integer({ min: -32_768, max: 32_767 }), columnOf.smallint, same),
  reaches("int", fc.integer(), columnOf.int, same),
  reaches("text", text, columnOf.text, same),
  reaches("float8", fc.double({ noNaN: true }), columnOf.float8, same),
  reaches("timestamptz", moment, columnOf.timestamptz, same),
  reaches(
    "uuid",
    fc.uuid().map((id) => id as Uuid),
    columnOf.uuid,
    same,
  ),
];

test.each(CASES)("a column of $type reaches the database as it is, nulls and emptiness included", async ({ check }) => {
  await check();
});

function same(value: unknown): unknown {
  return Object.is(value, -0) ? 0 : value;
}

function bytes(value: unknown): unknown {
  return value === null ? null : Buffer.from(value as Uint8Array).toString("hex");
}

/** The driver returns 64-bit numbers as text. */
function numeric(value: unknown): unknown {
  return value === null ? null : Number(value);
}
