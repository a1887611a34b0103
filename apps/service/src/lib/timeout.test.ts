import { expect, test } from "vitest";
import { withTimeout } from "./timeout.ts";

test("withTimeout returns the result of work that ends in time", async () => {
  expect(await withTimeout(Promise.resolve(1), 10_000)).toBe(1);
});

test("withTimeout throws what the work throws", async () => {
  await expect(withTimeout(Promise.reject(new Error("broken")), 10_000)).rejects.toThrow("broken");
});

test("withTimeout returns undefined when the work takes longer", async () => {
  expect(await withTimeout(new Promise(() => undefined), 5)).toBeUndefined();
});
