import { expect, test } from "vitest";
import { loads } from "./budget.ts";

test("the console's first load is at most 250 kB of gzipped JavaScript, each lazy module at most 60, an editor 130", async () => {
  const found = await loads();
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ bytes }) => bytes === 0)).toEqual([]);
  expect(found.filter(({ bytes, limit }) => bytes > limit)).toEqual([]);
});
