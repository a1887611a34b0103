import { expect, test } from "vitest";
import { judge } from "./checker.ts";
import { addRun, NO_RUNS, soakTable } from "./soak-counts.ts";

test("the counts of runs are added, and a broken run is named", () => {
  const { counts } = judge([], 0);
  const run = { ...counts, events: 3, faults: { "node-killed": 2 }, longestStallMs: 1500 };
  const one = addRun(NO_RUNS, 7, { broken: [], counts: run });
  const two = addRun(one, 8, { broken: ["alive: node 0 ended"], counts: { ...run, longestStallMs: 900 } });
  expect(two).toMatchObject({ runs: 2, events: 6, broken: [8], longestStallMs: 1500, faults: { "node-killed": 4 } });
  expect(soakTable(two)).toMatch(/\| Fault `node-killed` +\| +4 \|/);
  expect(soakTable(two)).toContain("1 (seeds 8)");
});
