import { describe, expect, test } from "vitest";
import { createIdMaker, systemClock } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { specOf } from "../contracts/parameter-specs.ts";
import type { ParameterInput } from "../contracts/parameter-specs.ts";
import type { Parameters as Given } from "../contracts/parameters.ts";
import { agentsOf, coverOf, sumFaults, whenFaults } from "./terms.ts";
import type { Agent } from "./terms.ts";

const ids = createIdMaker(systemClock);
const UP_TO_50 = { field: "parameters.amount", op: "lte", value: 50 };

function amountOf(parameters: Given, when: object | null = UP_TO_50): string | undefined {
  const terms = { when: when === null ? null : JSON.stringify(when), sumParameter: "amount" };
  return coverOf(terms, parameters)?.amount ?? undefined;
}

describe("parameters", () => {
  test.each<[string, unknown, string]>([
    ["a whole number", 50, "50"],
    ["a number with an exponent", 1e1, "10"],
    ["an exact fraction", 0.1, "0.1"],
    ["zero", 0, "0"],
    ["minus zero", -0, "0"],
    ["a very small number", 1e-7, "0.0000001"],
  ])("%s is covered", (_what, amount, text) => {
    expect(amountOf({ amount } as Given)).toBe(text);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a little more", { amount: 50.000000001 }],
    ["more with an exponent", { amount: 1e2 }],
    ["text", { amount: "50" }],
    ["a negative amount", { amount: -1 }],
    ["a small negative amount", { amount: -0.000000001 }],
    ["a missing amount", {}],
    ["true", { amount: true }],
    ["a name of the prototype", { constructor: 1 }],
  ])("%s is not covered", (_what, parameters) => {
    expect(amountOf(parameters as Given)).toBeUndefined();
  });

  test.each<[string, object]>([
    ["not more than 50", { not: [{ field: "parameters.amount", op: "gt", value: 50 }] }],
    ["not 7", { field: "parameters.amount", op: "ne", value: 7 }],
    ["none of a list", { field: "parameters.amount", op: "not_in", value: [7, 8] }],
    ["one of two", { any: [{ field: "parameters.order", op: "eq", value: "a" }, UP_TO_50] }],
  ])("a condition that a missing value would meet, %s, covers no call without it", (_what, when) => {
    const terms = { when: JSON.stringify(when), sumParameter: null };
    expect(coverOf(terms, { order: "a", amount: 1 })).toEqual({ amount: null });
    expect(coverOf(terms, { order: "a" })).toBeUndefined();
    expect(coverOf(terms, { order: "a", amount: -1 })).toBeUndefined();
  });

  test("a condition can require that a parameter is missing", () => {
    const terms = {
      when: JSON.stringify({ field: "parameters.note", op: "exists", value: false }),
      sumParameter: null,
    };
    expect(coverOf(terms, {})).toEqual({ amount: null });
    expect(coverOf(terms, { note: "x" })).toBeUndefined();
  });

  test("a number beyond exact arithmetic is not covered", () => {
    expect(amountOf({ amount: 1e300 }, null)).toBeUndefined();
    expect(amountOf({ amount: 5e-324 }, null)).toBeUndefined();
  });

  test("without a condition and a sum, every call is covered", () => {
    expect(coverOf({ when: null, sumParameter: null }, { amount: -5 })).toEqual({ amount: null });
  });
});

describe("callers", () => {
  const [lineage, person, member, key] = [ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid()];
  const byKey: Agent = { type: "key", id: key, lineage };
  const byMember: Agent = { type: "member", id: member, person };
  const caller = (more: object = {}) =>
    ({
      surface: "api",
      isAi: true,
      author: { kind: "key", id: lineage },
      people: [person] as Uuid[],
      memberId: null,
      ...more,
    }) as Parameters<typeof agentsOf>[1];

  test("a key covers itself on the API and in MCP, for every maker", () => {
    for (const surface of ["api", "mcp"]) expect(agentsOf([byKey], caller({ surface }))).toEqual([byKey]);
    expect(agentsOf([byKey], caller({ isAi: false }))).toEqual([byKey]);
    expect(agentsOf([byKey], caller({ author: { kind: "key", id: ids.uuid() } }))).toEqual([]);
  });

  test.each(["rule", "workflow", "connector", "console", "assistant"])("the surface %s is never covered", (surface) => {
    expect(agentsOf([byKey, byMember], caller({ surface }))).toEqual([]);
  });

  test("a member covers AI keys alone, and a session of the member is none", () => {
    expect(agentsOf([byMember], caller())).toEqual([byMember]);
    expect(agentsOf([byMember], caller({ people: [], memberId: member }))).toEqual([byMember]);
    expect(agentsOf([byMember], caller({ isAi: false }))).toEqual([]);
    expect(agentsOf([byMember], caller({ people: [] }))).toEqual([]);
    expect(agentsOf([byMember], caller({ author: { kind: "member", id: member } }))).toEqual([]);
  });
});

describe("faults", () => {
  const params = Object.fromEntries(
    Object.entries({
      amount: { type: "number" },
      count: { type: "int" },
      order: { type: "string" },
      fast: { type: "boolean" },
      pin: { type: "string", sensitive: true },
      secret: { type: "number", sensitive: true },
    } satisfies Record<string, ParameterInput>).map(([name, input]) => [name, specOf(input)]),
  );
  const pointers = (when: object): string[] =>
    whenFaults(params, JSON.stringify(when)).map(({ pointer, code }) => `${pointer} ${code}`);

  test.each<[object, string]>([
    [{ field: "parameters.total", op: "lte", value: 50 }, "/when/field unknown"],
    [{ field: "parameters", op: "exists" }, "/when/field unknown"],
    [{ field: "parameters.order.id", op: "eq", value: "a" }, "/when/field unknown"],
    [{ field: "data.amount", op: "lte", value: 50 }, "/when/field path"],
    [{ field: "parameters.pin", op: "eq", value: "1" }, "/when/field sensitive"],
    [{ field: "parameters.amount", op: "lte", value: "50" }, "/when/value type"],
    [{ field: "parameters.amount", op: "gte", value: -5 }, "/when/value type"],
    [{ field: "parameters.amount", op: "in", value: [1, "2"] }, "/when/value type"],
    [{ field: "parameters.amount", op: "starts_with", value: "5" }, "/when/op op"],
    [{ field: "parameters.order", op: "eq", value: 5 }, "/when/value type"],
    [{ field: "parameters.fast", op: "gt", value: true }, "/when/value value"],
    [{ all: [UP_TO_50, { any: [{ field: "parameters.x", op: "exists" }] }] }, "/when/all/1/any/0/field unknown"],
  ])("%j is refused at its place", (when, pointer) => {
    expect(pointers(when)).toEqual([pointer]);
  });

  test("conditions on known parameters are accepted", () => {
    const leaves = [
      UP_TO_50,
      { field: "$.parameters.count", op: "in", value: [1, 2] },
      { field: "parameters['order']", op: "starts_with", value: "ord_" },
      { field: "parameters.fast", op: "eq", value: false },
    ];
    expect(pointers({ all: leaves })).toEqual([]);
  });

  test.each([
    ["order", "1", "/budget/sum/parameter"],
    ["none", "1", "/budget/sum/parameter"],
    ["secret", "1", "/budget/sum/parameter"],
    ["amount", "0.00", "/budget/sum/max"],
  ])("a sum of %s up to %s is refused", (parameter, max, pointer) => {
    expect(sumFaults(params, { parameter, max }).map((one) => one.pointer)).toEqual([pointer]);
    expect(sumFaults(params, { parameter: "amount", max: "500.00" })).toEqual([]);
  });
});
