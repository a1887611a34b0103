import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { contractText } from "../../testing/contract.ts";

const committed = new URL("../../../../../openapi/openapi.json", import.meta.url);

test("openapi/openapi.json matches the routes (otherwise run `node tools/generate-openapi.ts`)", async () => {
  expect(await contractText()).toBe(await readFile(committed, "utf8"));
});
