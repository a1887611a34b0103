import { globSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { storeTests } from "./store-tests.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;

test("the tests for PostgreSQL 15 exist and cover every folder with a store", () => {
  const found = globSync("apps/service/src/**/*.test.ts", { cwd: ROOT });
  expect(storeTests.filter((file) => !found.includes(file))).toEqual([]);
  const listed = new Set(storeTests.map(dirname));
  const stores = globSync("apps/service/src/**/*.store.ts", { cwd: ROOT });
  expect(stores.map(dirname)).toContain("apps/service/src/webhooks/deliveries");
  expect([...new Set(stores.map(dirname))].filter((name) => !listed.has(name))).toEqual([]);
});
