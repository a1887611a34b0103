import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { findings } from "./fixture.ts";

const root = join(import.meta.dirname, "../..");

/** Returns the names of the files in which the rule found something, with the first word of its message. */
function found(files: Readonly<Record<string, string>>): string[] {
  return findings(files, "junction(linear-patterns)").map((line) =>
    line.replace(/^(?<path>\S+): junction\(linear-patterns\): This pattern can take (?<how>\w+).*$/, "$<path> $<how>"),
  );
}

function pattern(source: string): string {
  return `export const a = /${source}/;`;
}

test("a pattern that can take more than linear time is refused in shipped code", () => {
  const bad = {
    "apps/cli/src/nested.ts": pattern("^(?:a+)*$"),
    "apps/cli/src/trailing.ts": pattern(String.raw`\/+$`),
    "apps/console/src/api/trade.ts": pattern("^a*b?a*$"),
    "sdks/node/src/inner.ts": pattern("^(?:a+b?)*$"),
  };
  expect(found(bad)).toEqual(
    [
      "apps/cli/src/nested.ts: exponential",
      "apps/cli/src/trailing.ts: quadratic",
      "apps/console/src/api/trade.ts: quadratic",
      "sdks/node/src/inner.ts: exponential",
    ].map((line) => line.replace(": ", " ")),
  );
});

test("a linear pattern, and a pattern outside of shipped code, are allowed", () => {
  const good = {
    "apps/cli/src/linear.ts": pattern(String.raw`(?<!\/)\/+$`),
    "apps/cli/src/proof.test.ts": pattern("^(?:a+)*$"),
    "apps/cli/src/testing/proof.ts": pattern("^(?:a+)*$"),
    "tools/some.ts": pattern("^(?:a+)*$"),
  };
  expect(found(good)).toEqual([]);
});

test("nor does a pattern of the contract, which every call is held against", async () => {
  const patterns = new Set<string>();
  JSON.parse(await readFile(join(root, "openapi/openapi.json"), "utf8"), (name, value: unknown) => {
    if (name === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(10);
  const slow = [...patterns].filter((source) => analyse({ source, flags: "u" }).reports.length > 0);
  expect(slow).toEqual([]);
});
