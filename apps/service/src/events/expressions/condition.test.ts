import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { scanJson } from "../../lib/lib.ts";
import { evaluate, MAX_DEPTH, readCondition } from "./condition.ts";
import { factsOf, sourceOfText } from "./facts.ts";
import type { Facts } from "./facts.ts";
import type { Written } from "./fill.ts";
import { compareNumbers } from "./number.ts";

const DATA = `{"total":10.50,"big":9007199254740993,"huge":1e400,"status":"paid","none":null,"flag":true,
  "lines":[1,2.0,"two"],"longs":[9007199254740993],"customer":{"email":"ada@example.com"},"a b":{"__proto__":7}}`;

/** Returns a condition as part of a larger text, as rules and workflows contain it. */
function written(when: string): Written {
  return { scan: scanJson(Buffer.from(`{"when":${when}}`)), place: ["when"], roots: ["event", "data", "contact"] };
}

function factsIn(data: string): Facts {
  return factsOf({ event: sourceOfText('"order.paid"'), data: sourceOfText(data), contact: sourceOfText(undefined) });
}

function truthOf(when: string, data = DATA): boolean {
  const { condition, faults } = readCondition(written(when));
  expect(faults).toEqual([]);
  return evaluate(condition, factsIn(data)).truth;
}

function faultsOf(when: unknown): string[] {
  return readCondition(written(JSON.stringify(when))).faults.map((one) => `${one.pointer} ${one.code}`);
}

const leaf = (field: string, op: string, value?: string): string =>
  `{"field":${JSON.stringify(field)},"op":"${op}"${value === undefined ? "" : `,"value":${value}`}}`;

test.each([
  ["data.total", "eq", "10.5", true],
  ["data.total", "eq", "1.05e1", true],
  ["data.total", "eq", '"10.50"', false],
  ["data.total", "gt", "10.49999999999999999999", true],
  ["data.total", "gt", '"1"', false],
  ["data.total", "lte", "10.5", true],
  ["data.total", "lt", "10.5", false],
  ["data.total", "gte", "10.50000000000000000001", false],
  ["data.big", "eq", "9007199254740993", true],
  ["data.big", "eq", "9007199254740992", false],
  ["data.big", "gt", "9007199254740992", true],
  ["data.big", "in", "[1,9007199254740993]", true],
  ["data.huge", "gt", "1e399", true],
  ["data.huge", "eq", "1e401", false],
  ["data.status", "eq", '"paid"', true],
  ["data.status", "ne", '"paid"', false],
  ["data.status", "in", '["open","paid"]', true],
  ["data.status", "not_in", '["open"]', true],
  ["data.status", "contains", '"ai"', true],
  ["data.status", "starts_with", '"pa"', true],
  ["data.status", "ends_with", '"pa"', false],
  ["data.status", "lt", '"q"', true],
  ["data.none", "eq", "null", true],
  ["data.none", "exists", undefined, true],
  ["data.none", "ne", "0", true],
  ["data.flag", "eq", "true", true],
  ["data.flag", "eq", "1", false],
  ["data.lines", "contains", "2", true],
  ["data.lines", "contains", '"2"', false],
  ["data.lines[-1]", "eq", '"two"', true],
  ["$.data['a b']['__proto__']", "eq", "7", true],
  ["data.constructor", "exists", undefined, false],
  ["data.__proto__", "exists", undefined, false],
  ["data.status.length", "exists", undefined, false],
  ["data.total", "eq", "true", false],
  ["data.lines", "contains", "2.00", true],
  ["data.longs", "contains", "9007199254740993", true],
  ["data.longs", "contains", "9007199254740992", false],
  ["data.lines", "eq", "1", false],
  ["data.lines", "starts_with", '"1"', false],
  ["data.total", "starts_with", '"1"', false],
  ["data.missing", "eq", "null", false],
  ["data.missing", "ne", "1", true],
  ["data.missing", "not_in", "[1]", true],
  ["data.missing", "gt", "0", false],
  ["data.missing", "lte", "0", false],
  ["data.missing", "exists", "false", true],
  ["contact", "exists", undefined, false],
  ["event", "eq", '"order.paid"', true],
  ["event.length", "exists", undefined, false],
])("%s %s %s is %s", (field, op, value, truth) => {
  expect(truthOf(leaf(field, op, value))).toBe(truth);
});

covers("dispatch.subscriber.rules", "groups are true if all, any or none of their nodes are", () => {
  const [yes, no] = [leaf("event", "exists"), leaf("event", "exists", "false")];
  expect(truthOf('{"all":[]}')).toBe(true);
  expect(truthOf('{"any":[]}')).toBe(false);
  expect(truthOf('{"not":[]}')).toBe(true);
  expect(truthOf(`{"all":[${yes},${no}]}`)).toBe(false);
  expect(truthOf(`{"any":[${no},${yes}]}`)).toBe(true);
  expect(truthOf(`{"not":[${no},${yes}]}`)).toBe(false);
  expect(truthOf(`{"all":[{"not":[{"any":[${no},{"all":[${yes},${no}]}]}]},${yes}]}`)).toBe(true);
});

test("all, any and not follow logic for all combinations of truths", () => {
  const truths = fc.array(fc.boolean(), { maxLength: 6 });
  fc.assert(
    fc.property(truths, (parts) => {
      const nodes = parts.map((part) => leaf("event", "exists", String(part)));
      const found = ["all", "any", "not"].map((kind) => truthOf(`{"${kind}":[${nodes.join(",")}]}`));
      expect(found).toEqual([parts.every(Boolean), parts.some(Boolean), !parts.some(Boolean)]);
    }),
  );
});

test("each leaf shows the value it found, with all digits", () => {
  const when =
    `{"all":[${leaf("data.big", "gt", "9007199254740992.0")},{"any":[${leaf("data.x/~", "eq", "1")}]}]}`.replace(
      "data.x/~",
      "data['x/~']",
    );
  const { condition } = readCondition(written(when));
  expect(evaluate(condition, factsIn(DATA)).leaves).toBe(
    '[{"path":"/all/0","field":"data.big","op":"gt","expected":9007199254740992.0,"found":true,"actual":9007199254740993,"truth":true},' +
      `{"path":"/all/1/any/0","field":"data['x/~']","op":"eq","expected":1,"found":false,"actual":null,"truth":false}]`,
  );
});

test("a long value that a leaf found is shortened", () => {
  const { condition } = readCondition(written(leaf("data.text", "exists")));
  const data = JSON.stringify({ text: "x".repeat(100_000) });
  expect(evaluate(condition, factsIn(data)).leaves.length).toBeLessThan(1000);
});

function nested(depth: number): unknown {
  return depth === 0 ? { field: "event", op: "exists" } : { all: [nested(depth - 1)] };
}

test.each([
  [nested(MAX_DEPTH), []],
  [nested(MAX_DEPTH + 1), ["/when/all/0/all/0/all/0/all/0/all/0/all too_deep"]],
  [[], ["/when node"]],
  [{}, ["/when/field path"]],
  [{ all: {} }, ["/when/all type"]],
  [{ all: [], any: [] }, ["/when node"]],
  [{ all: [null, 1] }, ["/when/all/0 node", "/when/all/1 node"]],
  [{ field: "datas.x", op: "eq", value: 1 }, ["/when/field path"]],
  [{ field: "$", op: "exists" }, ["/when/field path"]],
  [{ field: "data..x", op: "eq", value: 1 }, ["/when/field path"]],
  [{ field: "data[?@.x]", op: "eq", value: 1 }, ["/when/field path"]],
  [{ field: "data.x", op: "matches", value: ".*" }, ["/when/op op"]],
  [{ field: "data.x", op: "constructor", value: 1 }, ["/when/op op"]],
  [{ field: "data.x", op: "eq" }, ["/when/value value"]],
  [{ field: "data.x", op: "eq", value: {} }, ["/when/value value"]],
  [{ field: "data.x", op: "in", value: [] }, ["/when/value value"]],
  [{ field: "data.x", op: "in", value: [[]] }, ["/when/value value"]],
  [{ field: "data.x", op: "gt", value: null }, ["/when/value value"]],
  [{ field: "data.x", op: "exists", value: 1 }, ["/when/value value"]],
  [{ field: "data.x", op: "eq", value: "x".repeat(1001) }, ["/when/value value"]],
  [{ field: "data.x", op: "eq", value: 1, note: "" }, ["/when/note unknown"]],
])("a tree %j has the faults %j", (when, faults) => {
  expect(faultsOf(when)).toEqual(faults);
});

test("a tree has a maximum number of leaves and groups", () => {
  const many = (count: number): unknown[] => Array.from({ length: count }, () => nested(0));
  expect(faultsOf({ all: many(100) })).toEqual([]);
  expect(faultsOf({ all: [{ all: many(60) }, { all: many(41) }] })).toEqual(["/when/all/1/all/40 too_many"]);
  expect(faultsOf({ all: many(101) })).toEqual(["/when/all too_many"]);
  expect(faultsOf({ all: Array.from({ length: 100 }, () => ({ all: [] })) })).toEqual(["/when/all/99/all too_many"]);
});

test.each([
  ["0", "-0.000", 0],
  ["1", "1.000", 0],
  ["-1", "1", -1],
  ["-2", "-1", -1],
  ["1e3", "1000", 0],
  ["1E-3", "0.001", 0],
  ["123456789012345678901234567890", "123456789012345678901234567891", -1],
  ["0.1000000000000000000000000001", "0.1", 1],
  ["1e999999999", "1e999999998", 1],
  ["-1e400", "-1e401", 1],
  ["1e9999999999999", "1", undefined],
])("%s compared with %s is %s", (a, b, order) => {
  expect(compareNumbers(a, b)).toBe(order);
});
