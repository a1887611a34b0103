import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { SETTINGS } from "../../apps/service/src/config/settings.ts";
import { configurationPage } from "./configuration.ts";
import { DOCS } from "./page.ts";

test("docs/reference/configuration.md is what config.ts reads: run `node tools/generate-configuration.ts` after a change", async () => {
  expect(await readFile(`${DOCS}reference/configuration.md`, "utf8")).toBe(configurationPage());
});

test("the README names no setting that there is not", async () => {
  const readme = await readFile(`${DOCS}../README.md`, "utf8");
  const named = new Set(readme.match(/\b(?:DATABASE_URL|JUNCTION_(?!(?:API_)?KEY\b)[A-Z_]+)\b/g));
  expect([...named].filter((name) => !(name in SETTINGS))).toEqual([]);
});
