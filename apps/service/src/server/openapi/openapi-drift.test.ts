import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { contractText } from "../../testing/contract.ts";

const committed = new URL("../../../../../openapi/openapi.json", import.meta.url);

test("openapi/openapi.json is what the routes make: run `node tools/generate-openapi.ts` after a change of a route", async () => {
  expect(await contractText()).toBe(await readFile(committed, "utf8"));
});
