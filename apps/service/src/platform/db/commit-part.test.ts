import { expect, expectTypeOf, test } from "vitest";
import type { Uuid } from "../../lib/lib.ts";
import { bulk } from "./bulk.store.ts";
import { columnOf } from "./column.ts";
import { defineDependentPart, defineFreshPart, definePart } from "./commit-part.ts";
import { composed } from "./prepared.ts";
import type { CommitPart, CommitParts } from "./prepared.ts";

interface Thing {
  readonly id: number;
  readonly tags: string;
}

interface Lease {
  readonly id: Uuid;
  readonly seconds: number;
}

const LEASE: Lease = { id: "00000000-0000-7000-8000-000000000000" as Uuid, seconds: 60 };
let texts = 0;

const thingPart = definePart<Thing, Lease>({
  name: "thing",
  columns: [bulk("id", "int", ({ id }) => id), bulk("tags", "text", ({ tags }) => tags, "text[]")],
  extras: [bulk("rank", "smallint", ({ id }) => -id)],
  parameters: { id: "uuid", seconds: "float8" },
  text({ rows, names, selected, $ }) {
    texts += 1;
    return `things as (insert into thing (${names}, lease) select ${selected("t")}, ${$.id}, ${$.seconds} from ${rows("t")})`;
  },
});
const freshPart = defineFreshPart<number>({
  name: "numbers",
  columns: [bulk("n", "bigint", (n) => n)],
  text: ({ numberedRows }) => `fresh as (select at from ${numberedRows("n")})`,
});
const dependentPart = defineDependentPart<{ readonly n: number; readonly request: number }>({
  name: "more",
  columns: [bulk("n", "int", ({ n }) => n)],
  text: ({ rows }) => `more as (select n from ${rows("m")})`,
});
const emptyPart = definePart({ name: "nothing", text: () => "nothing as (select 1)" });

test("parts number their parameters one after another, in the order of their values", () => {
  const [statement, values] = composed([freshPart([1]), thingPart([{ id: 7, tags: "{}" }], LEASE)], "select 1");
  expect(statement.text).toBe(`with fresh as (select at from unnest($1::bigint[]) with ordinality as n (n, at)),
things as (insert into thing (id, tags, lease) select t.id, t.tags::text[], $5::uuid, $6::float8 from unnest($2::int[], $3::text[], $4::smallint[]) as t (id, tags, rank)) select 1`);
  expect(values).toHaveLength(6);
  expect(values.map((value) => (value instanceof Buffer ? value.readInt32BE(8) : value))).toEqual([
    20,
    23,
    25,
    21,
    LEASE.id,
    60,
  ]);
});

test("a dependent part writes the rows of new requests", () => {
  const [statement, values] = composed([freshPart([1]), dependentPart([{ n: 7, request: 2 }])], "select 1");
  expect(statement.text).toContain(
    "more as (select n from unnest($2::int[], $3::bigint[]) as m (n, request) join fresh on fresh.at = m.request)",
  );
  expect(values.at(-1)).toEqual(columnOf.bigint([3], (at) => at));
});

test("the text of a statement is built once, even if it runs many times", () => {
  const run = () => composed([thingPart([], LEASE), emptyPart([])], "select 1");
  texts = 0;
  const [first] = run();
  const [second] = run();
  expect(second).toBe(first);
  expect(texts).toBe(1);
});

test("a part that depends on `fresh` is rejected when no earlier part provides it", () => {
  type Fresh = CommitPart<"fresh">;
  type Dependent = CommitPart<"dependent">;
  expectTypeOf(dependentPart([])).toEqualTypeOf<Dependent>();
  expectTypeOf<[Fresh, CommitPart, Dependent]>().toExtend<CommitParts>();
  expectTypeOf<[CommitPart, CommitPart]>().toExtend<CommitParts>();
  expectTypeOf<[Dependent]>().not.toExtend<CommitParts>();
  expectTypeOf<[CommitPart, Dependent]>().not.toExtend<CommitParts>();
  expectTypeOf<[Dependent, Fresh]>().not.toExtend<CommitParts>();
  expectTypeOf<[Fresh, Fresh]>().not.toExtend<CommitParts>();
  expect([freshPart([]).role, dependentPart([]).role, thingPart([], LEASE).role]).toEqual([
    "fresh",
    "dependent",
    "plain",
  ]);
});

test("a part takes exactly one value for each of its parameters", () => {
  expectTypeOf<Parameters<typeof thingPart>>().toEqualTypeOf<[rows: readonly Thing[], named: Lease]>();
  expectTypeOf<Parameters<typeof freshPart>>().toEqualTypeOf<[rows: readonly number[]]>();
  expect(emptyPart([]).values).toEqual([]);
});
