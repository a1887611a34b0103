import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "../kernel/kernel.ts";
import type { Violation } from "../kernel/kernel.ts";
import { holds, readCondition } from "./condition.ts";
import { factsOf } from "./facts.ts";

/** Whether the condition, JSON text, holds of the data, JSON text. */
function judge(condition: string, data: string): boolean {
  const faults: Violation[] = [];
  const read = readCondition(scanJson(Buffer.from(condition)), [], faults);
  expect(faults).toEqual([]);
  return holds(
    read,
    factsOf({ event: "order.created", data, input: null, outputs: new Map([["hook", '{"status_code":200}']]) }),
  );
}

function of(op: string, value: string | undefined, field = "data.x"): string {
  return `{"field":${JSON.stringify(field)},"op":"${op}"${value === undefined ? "" : `,"value":${value}`}}`;
}

test.each([
  // op, operand, what data.x is, whether it holds
  ["eq", "1", "1.0", true],
  ["eq", "1", '"1"', false],
  ["eq", "1", "true", false],
  ["eq", "null", "null", true],
  ["eq", "9007199254740993", "9007199254740992", false],
  ["eq", "0.1", "0.10000000000000000001", false],
  ["eq", "1e400", "1e400", true],
  ["eq", "1e400", "2e400", false],
  ["eq", '"a"', '["a"]', false],
  ["ne", "1", "2", true],
  ["ne", "1", undefined, true],
  ["gt", "9007199254740992", "9007199254740993", true],
  ["gt", "1", '"2"', false],
  ["gte", "1.50", "1.5", true],
  ["lt", "-0", "0", false],
  ["lte", '"b"', '"a"', true],
  ["lt", "1", undefined, false],
  ["in", '["a",2]', "2.0", true],
  ["in", "[]", "1", false],
  ["not_in", '["a"]', '"b"', true],
  ["contains", '"b"', '"abc"', true],
  ["contains", "2", "[1,2]", true],
  ["contains", '"2"', "[1,2]", false],
  ["starts_with", '"ab"', '"abc"', true],
  ["ends_with", '"ab"', '"abc"', false],
  ["starts_with", '"1"', "12", false],
  ["exists", undefined, "null", true],
  ["exists", "false", undefined, true],
  ["exists", "true", undefined, false],
] as const)("%s %s of %s: %s", (op, operand, x, wanted) => {
  expect(judge(of(op, operand), x === undefined ? "{}" : `{"x":${x}}`)).toBe(wanted);
});

test("the event and the steps before can be asked for, and nothing that an object has by itself", () => {
  expect(judge(of("eq", '"order.created"', "event"), "{}")).toBe(true);
  expect(judge(of("eq", "200", "$.steps.hook.status_code"), "{}")).toBe(true);
  for (const field of ["data.constructor", "data.__proto__", "data.x.length", "steps.toString"]) {
    expect(judge(of("exists", "false", field), '{"x":"text"}')).toBe(true);
  }
});

test("all of none holds, any of none does not, not holds when none of its parts does", () => {
  expect(["all", "any", "not"].map((kind) => judge(`{"${kind}":[]}`, "{}"))).toEqual([true, false, true]);
  const truths = fc.array(fc.boolean(), { maxLength: 6 });
  fc.assert(
    fc.property(truths, (parts) => {
      const tests = parts.map((part) => of("exists", String(part)));
      const found = ["all", "any", "not"].map((kind) => judge(`{"${kind}":[${tests.join(",")}]}`, '{"x":1}'));
      expect(found).toEqual([parts.every(Boolean), parts.some(Boolean), !parts.some(Boolean)]);
    }),
  );
});
