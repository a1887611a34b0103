import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endOf } from "./left-out-reporter.ts";
import { LEFT_OUT } from "./test-tiers.ts";

describe("the end of a run", () => {
  test("is empty when every test ran", () => {
    expect(endOf({ reasons: [], skipped: [], groups: [] })).toEqual([]);
  });

  test("names each group that npm test leaves out, with its number of files", () => {
    const groups = [
      { name: "crash tests", count: 6 },
      { name: "fuzz tests", count: 1 },
    ];
    expect(endOf({ reasons: [], skipped: [], groups })).toEqual([
      "Not part of npm test; npm run test:all runs them:",
      "  - crash tests (6 files)",
      "  - fuzz tests (1 file)",
    ]);
  });

  test("gives each reason of skipped tests once, and counts the tests", () => {
    const skipped = ["zsh is not on this machine", undefined, "zsh is not on this machine"];
    expect(endOf({ reasons: ["world: no namespaces"], skipped, groups: [] })).toEqual([
      "Skipped on this machine (3 tests in the files that ran):",
      "  - world: no namespaces",
      "  - zsh is not on this machine",
    ]);
  });
});

test.each(LEFT_OUT)("each pattern of “$name” has a test file", ({ files }) => {
  const root = join(import.meta.dirname, "..");
  for (const pattern of files)
    expect([pattern, globSync(pattern, { cwd: root, exclude: (path) => path.includes("node_modules") })]).not.toEqual([
      pattern,
      [],
    ]);
});
