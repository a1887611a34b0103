import { expect, test } from "vitest";
import { WorkBudget } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { filterFacts } from "./filters.ts";
import { laneOf, orderingFaults } from "./ordering.ts";

const ENDPOINT = "0199b7f2-0000-7000-8000-000000000001" as Uuid;

/** Returns the lane of an event with this data. */
function laneIn(key: string, data: string, more: { subject?: string | null; tenant?: string | null } = {}) {
  const event = { scope: { tag: "abcdefgh" as Tag }, name: "order.paid", data, subject: null, tenant: null, ...more };
  const lane = laneOf(key, event, { facts: filterFacts({ ...event, labels: null }).facts, budget: new WorkBudget() });
  return typeof lane === "function" ? lane(ENDPOINT) : lane;
}

const of = (value: string): string | null | undefined => laneIn("$.data.k", `{"k":${value}}`);

test.each([
  ['"a"', '"a"'],
  [String.raw`"\u0061"`, '"a"'],
  [String.raw`"say \"a\"\n"`, '"say "a"\n"'],
  ['"7"', '"7"'],
  ["7", "7"],
  ["1.0", "1"],
  ["1e0", "1"],
  ["0.10e1", "1"],
  ["-0", "0"],
  ["-0.0e5", "0"],
  ["100", "100"],
  ["1e2", "100"],
  ["12.50", "12.5"],
  ["0.000001", "0.000001"],
  ["0.0000001", "1e-7"],
  ["9007199254740993", "9007199254740993"],
  ["123456789012345678901234567890", "1.2345678901234567890123456789e29"],
  ["1e400", "1e400"],
  ["1E+400", "1e400"],
  ["true", "true"],
  ["false", "false"],
  ['""', '""'],
  ['"ü€😀"', '"ü€😀"'],
])("the value %s has the key %s", (value, key) => {
  expect(of(value)).toBe(key);
});

test.each(["null", "{}", '{"a":1}', "[]", "[1]"])("the value %s has no lane", (value) => {
  expect(of(value)).toBeNull();
});

test("a path without a value, or into the prototype, finds no lane", () => {
  expect(laneIn("$.data.other", '{"k":1}')).toBeNull();
  expect(laneIn("$.data.toString", '{"k":1}')).toBeNull();
  expect(laneIn("$.data.k[0]", '{"k":"text"}')).toBeNull();
  expect(laneIn("$.data", '{"k":1}')).toBeNull();
});

test("a key of more than 256 bytes is its hash, and one of 256 is not", () => {
  const fits = "x".repeat(254);
  expect(of(`"${fits}"`)).toBe(`"${fits}"`);
  expect(of(`"${fits}x"`)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(of(`"${"ü".repeat(128)}"`)).toMatch(/^sha256:/);
  expect(of(`1${"0".repeat(300)}1`)).toMatch(/^sha256:/);
  // A value that looks like a hash is a text with quotes.
  expect(of(`"sha256:${"0".repeat(64)}"`)).toBe(`"sha256:${"0".repeat(64)}"`);
});

test("what the database cannot store keeps its escape", () => {
  expect(of(String.raw`"a\u0000b"`)).toBe(String.raw`"a\u0000b"`);
  expect(of(String.raw`"\ud800"`)).toBe(String.raw`"\ud800"`);
  expect(of(String.raw`"\ud83d\ude00"`)).toBe('"😀"');
});

test("subject, tenant, name and endpoint are keys too", () => {
  const who = { subject: "s 1", tenant: "t/1" };
  expect(laneIn("subject", "{}", who)).toBe('"s 1"');
  expect(laneIn("$.subject", "{}", who)).toBe('"s 1"');
  expect(laneIn("tenant", "{}", who)).toBe('"t/1"');
  expect(laneIn("$.tenant", "{}", who)).toBe('"t/1"');
  expect(laneIn("$.event", "{}", who)).toBe('"order.paid"');
  expect(laneIn("endpoint", "{}", who)).toMatch(/^ep_abcdefgh/);
  expect(laneIn("subject", "{}")).toBeNull();
  expect(laneIn("tenant", "{}")).toBeNull();
  expect(laneIn("$.subject", "{}")).toBeNull();
});

test.each(["endpoint", "subject", "tenant", "$.data.a", "$['data']['a'][0]", "$.event"])("%s is a key", (key) => {
  expect(orderingFaults({ key })).toEqual([]);
});

test.each(["Endpoint", "data.a", "$", "$..a", "$.data[*]", "$.contact.email", "$.x", "$.data[?@.a]", " $.data"])(
  "%s is not a key",
  (key) => {
    expect(orderingFaults({ key })).toMatchObject([{ pointer: "/ordering/key", code: "ordering_key" }]);
  },
);
