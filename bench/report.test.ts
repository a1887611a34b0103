import { expect, test } from "vitest";
import { isMet, tableOf } from "./report.ts";
import type { Row } from "./bench.ts";

const custom: Row = {
  what: "Delivered",
  value: 2713,
  unit: "/s",
  ratio: { value: 0.11, to: "ceiling" },
  load: "Custom",
};
const catalogue: Row = { ...custom, value: 260, ratio: { value: 0.0104, to: "ceiling" }, load: "Catalogue" };
const share: Row = { what: "Share", value: 0.096, unit: "", goal: { atLeast: 0.7 }, load: "Catalogue" };

test("several loads become columns of one table, each with its ratio and goal", () => {
  expect(tableOf([custom, catalogue, share])).toBe(
    [
      "| Measured  | Custom                    | Catalogue                |",
      "| --------- | ------------------------: | -----------------------: |",
      "| Delivered | 2 713 /s, 0.11 of ceiling | 260 /s, 0.010 of ceiling |",
      "| Share     |                           | 0.096; ≥ 0.7: **no**     |",
    ].join("\n"),
  );
});

test("a value of its own follows in a table with a row for each", () => {
  const table = tableOf([custom, { what: "Ceiling", value: 31_440, unit: "/s", goal: { atLeast: 1 } }]);
  expect(table).toMatch(/\| Ceiling +\| 31 440 \/s \| +\| ≥ 1 +\| yes \|$/);
  expect(table.split("\n\n")).toHaveLength(2);
});

test("a goal is judged by the value, or by the ratio if declared", () => {
  expect(isMet(share)).toBe(false);
  expect(isMet({ ...custom, goal: { atLeast: 0.1, of: "ratio" } })).toBe(true);
  expect(isMet(custom)).toBeUndefined();
});
