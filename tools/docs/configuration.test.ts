import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { configurationPage } from "./configuration.ts";
import { DOCS } from "./page.ts";

test("docs/reference/configuration.md is what config.ts reads: run `node tools/generate-configuration.ts` after a change", async () => {
  expect(await readFile(`${DOCS}reference/configuration.md`, "utf8")).toBe(configurationPage());
});
