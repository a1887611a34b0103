import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPath, scanJson, TooExpensiveError, UNITS_PER_MS, WORK_MS, WorkBudget } from "../../lib/lib.ts";
import type { Path } from "../../lib/lib.ts";
import { thrown } from "../../testing/fuzz.ts";
import { evaluate, holds, readCondition } from "./condition.ts";
import type { Condition } from "./condition.ts";
import { eventSources, factsOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { compileFill, filled, FillError } from "./fill.ts";
import { isSameJson } from "./same-json.ts";

const ROOTS = ["event", "data", "tenant"];
const LONG = "1.00000000000000001";

/** A condition of JSON text, because numbers keep their digits only there. */
function conditionOf(text: string): Condition {
  const { condition, faults } = readCondition({ scan: scanJson(Buffer.from(text)), place: [], roots: ROOTS });
  expect(faults).toEqual([]);
  return condition;
}

const anyOf = (count: number, leaf: (at: number) => string): string =>
  `{"any":[${Array.from({ length: count }, (_, at) => leaf(at)).join(",")}]}`;
const leaf = (op: string, value: string, field = "data.a"): string =>
  JSON.stringify({ field, op }).replace("}", `,"value":${value}}`);
const repeated = (text: string, count: number): string => Array.from({ length: count }, () => text).join(",");

/** Facts whose data was parsed before, because parsing is not charged. */
function factsWith(data: string): Facts {
  // Flat, as texts are that were received.
  const facts = factsOf(eventSources("e", Buffer.from(data).toString(), null));
  facts.at(pathOf("$.data.a"));
  return facts;
}

function pathOf(text: string): Path {
  const path = readPath(text);
  if (path === undefined) throw new Error(text);
  return path;
}

/** Returns the time of a loop on this machine at this moment, by which a nominal millisecond is known. */
function nominalMs(): number {
  const list = Array.from({ length: 1000 }, (_, at) => ({ at }));
  const startedMs = performance.now();
  let sum = 0;
  for (let pass = 0; pass < 40; pass += 1) sum += JSON.stringify(list).length;
  return sum > 0 ? (performance.now() - startedMs) / LOOP_MS : 1;
}

/** The time of the loop on the machine for which the units were made. */
const LOOP_MS = 1.5;
/** How many times longer than its price a piece of work may take. */
const MOST_RATIO = 4;
/** Other work of the machine can fall into a round, so that the best of some counts. */
const ROUNDS = 8;

/** Returns how many times longer the work took than its price says, on this machine at this moment. */
function ratioOf<Input>(prepare: () => Input, work: (input: Input, budget: WorkBudget) => unknown): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best >= MOST_RATIO; round += 1) {
    const [input, budget, nominal] = [prepare(), new WorkBudget(), nominalMs()];
    const startedMs = performance.now();
    thrown(() => work(input, budget));
    const tookMs = performance.now() - startedMs;
    const spentMs = WORK_MS - Math.max(0, budget.left) / UNITS_PER_MS;
    // Below a millisecond, the clock and the compiler decide more than the work.
    best = Math.min(best, tookMs / nominal / (spentMs + 1));
  }
  return best;
}

const DATA = 262_000;
const ones = `{"a":[${repeated("1", DATA / 2)}]}`;
const twos = `{"a":[${repeated("2", DATA / 2)}]}`;
const nested = `{"a":${"[".repeat(60)}${repeated("1", DATA / 2 - 100)}${"]".repeat(60)}}`;
const deepPath = `data.a${"[0]".repeat(60)}`;
const texts = `{"a":[${repeated(`"${"x".repeat(999)}"`, 260)}]}`;
const text = JSON.stringify({ a: "a".repeat(DATA) });
const digits = `{"a":1.${"0".repeat(DATA)}1}`;
const members = `{"a":{${Array.from({ length: 20_000 }, (_, at) => `"m${at}":1`).join(",")}}}`;

describe("the price of a condition covers its time", () => {
  const cases: [string, string, string][] = [
    ["long numbers in a list of equal ones", anyOf(20, () => leaf("contains", LONG)), ones],
    ["100 long numbers in a list of equal ones", anyOf(100, (at) => leaf("contains", `${LONG}${at}`)), ones],
    ["plain numbers in a list", anyOf(99, () => leaf("contains", "2")), `{"a":[${repeated("1", 32_000)}]}`],
    ["short numbers in a list of other ones", anyOf(100, (at) => leaf("contains", String(at + 3))), twos],
    ["a number that is the last of a list", anyOf(100, () => leaf("contains", "1.0")), twos.replace(/2\]/, "1.01]")],
    [
      "texts of the same length in a list",
      anyOf(100, (at) => leaf("contains", `"${"x".repeat(995)}${at + 1000}"`)),
      texts,
    ],
    ["a part that nearly repeats", anyOf(100, () => leaf("contains", `"b${"a".repeat(999)}"`)), text],
    ["a part that ends otherwise", anyOf(100, () => leaf("contains", `"${"a".repeat(999)}b"`)), text],
    ["a short part that nearly repeats", anyOf(100, () => leaf("contains", `"${"a".repeat(5)}b"`)), text],
    ["a part of the searched length", anyOf(100, () => leaf("contains", `"b${"a".repeat(249)}"`)), text],
    ["a number of many digits", anyOf(100, () => leaf("gt", LONG)), digits],
    ["many numbers of many digits", anyOf(100, () => leaf("in", `[${repeated(LONG, 100)}]`)), digits],
    ["a number below many brackets", anyOf(100, () => leaf("eq", "1.0", `${deepPath}[0]`)), nested],
    ["a number among many members", anyOf(100, (at) => leaf("gt", "1", `data.a.m${at}`)), members],
    ["prefixes", anyOf(100, () => leaf("starts_with", `"${"a".repeat(1000)}"`)), text],
    ["suffixes", anyOf(100, () => leaf("ends_with", `"${"a".repeat(1000)}"`)), text],
  ];
  test.each(cases)("%s", (_name, condition, data) => {
    const compiled = conditionOf(condition);
    const prepare = (): Facts => factsWith(data);
    expect.soft(ratioOf(prepare, (facts, budget) => holds(compiled, facts, budget))).toBeLessThan(MOST_RATIO);
    expect.soft(ratioOf(prepare, (facts, budget) => evaluate(compiled, facts, budget))).toBeLessThan(MOST_RATIO);
  });

  const value = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom(LONG, "1", "1.0", "1e0", "true", "null", '"a"', `"${"a".repeat(1000)}"`),
  );
  const operator = fc.constantFrom("eq", "ne", "gt", "lte", "contains", "starts_with", "ends_with");
  const leaves = fc.array(fc.tuple(operator, value), { minLength: 1, maxLength: 100 });
  test("of any operators with any data", () => {
    fc.assert(
      fc.property(leaves, value, fc.integer({ min: 0, max: 60_000 }), (written, one, count) => {
        const usable = written.filter(([op, of]) =>
          op.endsWith("_with") ? of.startsWith('"') : !/gt|lte/.test(op) || /^["\d-]/.test(of),
        );
        const compiled = conditionOf(anyOf(usable.length, (at) => leaf(...(usable[at] ?? ["eq", "1"]))));
        const a = count === 0 ? one : `[${repeated(one, Math.min(count, Math.floor(DATA / (one.length + 1))))}]`;
        const prepare = (): Facts => factsWith(`{"a":${a}}`);
        return ratioOf(prepare, (facts, budget) => holds(compiled, facts, budget)) < MOST_RATIO;
      }),
      { numRuns: 25 },
    );
  });
});

describe("the price of a template covers its time", () => {
  const member = JSON.stringify("b".repeat(200_000));
  const controls = JSON.stringify("\u0001".repeat(40_000));
  test.each([
    ["a long member many times", { parts: Array.from({ length: 100 }, () => "${data.a}") }, member],
    ["a long member many times in a text", { text: "${data.a}".repeat(100) }, member],
    ["short members many times", { text: "${data.a}".repeat(5000) }, '"a"'],
    ["texts with many escapes", Array.from({ length: 6 }, () => "x${data.a}"), controls],
    ["many brackets", ["${data.a}"], `[${repeated("[]", 80_000)}]`],
  ])("%s", (_name, written, a) => {
    for (const inParts of [false, true]) {
      const { fill } = compileFill(
        { scan: scanJson(Buffer.from(JSON.stringify(written))), place: [], roots: ROOTS },
        inParts,
      );
      const ratio = ratioOf(
        () => factsWith(`{"a":${a}}`),
        (facts, budget) => {
          facts.budget = budget;
          filled(fill, facts);
        },
      );
      expect(ratio).toBeLessThan(MOST_RATIO);
    }
  });
});

test.each([
  ["equal lists", `[${repeated("1", 100_000)}]`, `[${repeated("1", 99_999)},2]`],
  [
    "nested lists",
    `${"[".repeat(60)}${repeated("1", 100_000)}${"]".repeat(60)}`,
    `${"[".repeat(60)}${repeated("1.0", 60_000)}${"]".repeat(60)}`,
  ],
  ["objects", members, members.replace('"m19999":1', '"m19999":2')],
])("the price of a comparison covers its time: %s", (_name, a, b) => {
  const ratio = ratioOf(
    () => [scanJson(Buffer.from(a)), scanJson(Buffer.from(b))] as const,
    ([left, right], budget) => isSameJson(left, right, budget),
  );
  expect(ratio).toBeLessThan(MOST_RATIO);
});

test("a condition that costs too much ends, and an ordinary one does not", () => {
  const costly = conditionOf(anyOf(100, () => leaf("contains", LONG)));
  expect(thrown(() => holds(costly, factsWith(ones)))).toBeInstanceOf(TooExpensiveError);
  expect(thrown(() => evaluate(costly, factsWith(ones)))).toBeInstanceOf(TooExpensiveError);
  const large = `{"a":[${repeated('{"sku":"AB-1","price":12.5}', 9000)}],"total":120}`;
  const ordinary = conditionOf(
    `{"all":[${leaf("gte", "100", "data.total")},${leaf("eq", '"AB-1"', "data.a[8000].sku")},${leaf("lt", "13", "data.a[0].price")}]}`,
  );
  expect(holds(ordinary, factsWith(large))).toBe(true);
  expect(holds(conditionOf(leaf("contains", "7")), factsWith(twos))).toBe(false);
});

test("a template that repeats a long value ends with a reason", () => {
  const written = JSON.stringify({ text: "${data.a}".repeat(100) });
  for (const inParts of [false, true]) {
    const { fill } = compileFill({ scan: scanJson(Buffer.from(written)), place: [], roots: ROOTS }, inParts);
    expect(thrown(() => filled(fill, factsWith(JSON.stringify({ a: "b".repeat(200_000) }))))).toBeInstanceOf(FillError);
  }
});

test("a list is searched for exact numbers", () => {
  const data = '{"a":[1.00000000000000001,2,"2",2.50,1e2,9007199254740993]}';
  for (const [value, isIn] of [
    [LONG, true],
    ["1", false],
    ["2.0", true],
    ["2.5", true],
    ["100", true],
    ["9007199254740992", false],
    ["9007199254740993.0", true],
  ] as const)
    expect([value, holds(conditionOf(leaf("contains", value)), factsWith(data))]).toEqual([value, isIn]);
});

test("a long part is found wherever it is", () => {
  const part = `${"a".repeat(300)}b`;
  const holdsFor = (data: string): boolean =>
    holds(conditionOf(leaf("contains", JSON.stringify(part))), factsWith(JSON.stringify({ a: data })));
  expect(holdsFor("a".repeat(400))).toBe(false);
  expect(holdsFor(`${"a".repeat(400)}b`)).toBe(true);
  expect(holdsFor(`${part}c`)).toBe(true);
  expect(holdsFor("")).toBe(false);
});
