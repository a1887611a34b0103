import { expect, test } from "vitest";
import { loads } from "./budget.ts";

test("gzipped JavaScript: first load 250 kB, portal 120, lazy modules 64, editors 130", async () => {
  const found = await loads();
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ bytes }) => bytes === 0)).toEqual([]);
  expect(found.filter(({ bytes, limit }) => bytes > limit)).toEqual([]);
});
