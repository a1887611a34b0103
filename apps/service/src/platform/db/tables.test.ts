import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { tableTypes } from "../../testing/table-types.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test("the table types match the migrated database (otherwise run tools/generate-tables.ts)", async () => {
  const committed = await readFile(new URL("tables.generated.ts", import.meta.url), "utf8");
  expect(withoutSpace(committed)).toBe(withoutSpace(await tableTypes(database.url)));
});

/** The formatter may break lines differently from the generator. */
function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
