import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LONGEST, longestFirst } from "./test-order.ts";

test("the longest test files start first, others keep their order, none is lost", () => {
  const [first = "", second = ""] = LONGEST;
  const files = ["b.test.ts", second, "a.test.ts", first, "c.test.ts", second];
  expect(longestFirst(files, (path) => path)).toEqual([first, second, second, "b.test.ts", "a.test.ts", "c.test.ts"]);
});

test("each test file that is known to be long is there", () => {
  expect(LONGEST.filter((path) => !existsSync(join(import.meta.dirname, "..", path)))).toEqual([]);
});
