import { format, inspect } from "node:util";
import pino from "pino";
import { expect, test } from "vitest";
import { hide } from "./hidden.ts";

const TEXT = "Bearer of-a-value-that-is-hidden";

test("only reveal returns a hidden text", () => {
  expect(hide(TEXT).reveal()).toBe(TEXT);
});

test("JSON, templates, inspection and copies of a hidden text show [redacted]", () => {
  const value = hide(TEXT);
  const lines: string[] = [];
  pino({ level: "info" }, { write: (line: string) => void lines.push(line) }).info(
    { value, deep: [{ value }] },
    "said",
  );
  const shown = [
    JSON.stringify({ value, list: [value] }),

    String(value),
    inspect({ value }, { depth: 9, showHidden: true }),
    format("%s %o %O %j", value, value, value, value),
    JSON.stringify(Object.assign({}, value)),
    JSON.stringify(structuredClone(value)),
    Object.values(value).join(),
    ...lines,
  ];
  for (const one of shown) expect(one).not.toContain("of-a-value");
  expect(shown[0]).toBe('{"value":"[redacted]","list":["[redacted]"]}');
  expect(shown[1]).toBe("[redacted]");
});
