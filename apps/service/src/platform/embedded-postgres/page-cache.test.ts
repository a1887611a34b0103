import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { memoryLimit, pageCacheMib } from "./page-cache.ts";

const MIB = 2 ** 20;

test.each([
  [64, 32],
  [512, 64],
  [1024, 128],
  [2048, 256],
  [24 * 1024, 256],
])("with %i MiB, the database caches pages in %i MiB", (memory, cache) => {
  expect(pageCacheMib(memory * MIB)).toBe(cache);
});

test("the memory is never more than the machine's", () => {
  expect(memoryLimit()).toBeLessThanOrEqual(totalmem());
  expect(memoryLimit()).toBeGreaterThan(0);
});
