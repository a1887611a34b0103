import { describe, expect, test } from "vitest";
import { actsIn, assertExpectedVersions, differenceOf } from "./promotion.ts";

describe("differenceOf", () => {
  test("returns nothing for equal values", () => {
    expect(differenceOf({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
  });

  test("returns changed, added and removed members by their pointers", () => {
    const from = { same: 1, changed: "a", gone: true, "x/y": { z: 1 } };
    const to = { same: 1, changed: "b", added: null, "x/y": { z: 2 } };
    expect(differenceOf(from, to)).toEqual([
      { path: "/changed", from: "a", to: "b" },
      { path: "/gone", from: true },
      { path: "/x~1y/z", from: 1, to: 2 },
      { path: "/added", to: null },
    ]);
  });

  test("compares lists of objects by position and other lists as a whole", () => {
    expect(differenceOf({ l: ["a"], o: [{ k: 1 }] }, { l: ["a", "b"], o: [{ k: 2 }, { k: 3 }] })).toEqual([
      { path: "/l", from: ["a"], to: ["a", "b"] },
      { path: "/o/0/k", from: 1, to: 2 },
      { path: "/o/1", to: { k: 3 } },
    ]);
  });

  test("does not read members of the prototype", () => {
    expect(differenceOf({}, JSON.parse('{"__proto__":{"a":1},"constructor":2}'))).toEqual([
      { path: "/__proto__", to: { a: 1 } },
      { path: "/constructor", to: 2 },
    ]);
  });
});

test("versions that the caller has not seen are refused", () => {
  const found = { source: 2, isAsChecked: true, live: null };
  expect(() => assertExpectedVersions({}, found)).not.toThrow();
  expect(() => assertExpectedVersions({ source_version: 2, live_version: null }, found)).not.toThrow();
  for (const [request, now] of [
    [{ source_version: 1 }, found],
    [{ live_version: 1 }, found],
    [{}, { ...found, isAsChecked: false }],
  ] as const)
    expect(() => assertExpectedVersions(request, now)).toThrow("conflict");
});

test("a live object acts in both environments unless the sandbox replaces it", () => {
  expect(actsIn({ author_environment: "live", is_shadowed: false })).toEqual(["live", "sandbox"]);
  expect(actsIn({ author_environment: "live", is_shadowed: true })).toEqual(["live"]);
  expect(actsIn({ author_environment: "sandbox", is_shadowed: false })).toEqual(["sandbox"]);
});
