import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { storeTests } from "./store-tests.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;

function moduleOf(file: string): string {
  return /^apps\/service\/src\/([^/]+)\//.exec(file)?.[1] ?? file;
}

test("the tests that run on PostgreSQL 15 too are there, and every module with a store has one of them", () => {
  const found = globSync("apps/service/src/**/*.test.ts", { cwd: ROOT });
  expect(storeTests.filter((file) => !found.includes(file))).toEqual([]);
  const listed = new Set(storeTests.map(moduleOf));
  const stores = globSync("apps/service/src/**/*.store.ts", { cwd: ROOT });
  expect(stores.map(moduleOf)).toContain("deliver");
  expect([...new Set(stores.map(moduleOf))].filter((name) => !listed.has(name))).toEqual([]);
});
