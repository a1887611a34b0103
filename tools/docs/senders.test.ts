import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { DOCS } from "./page.ts";
import { sendersPage } from "./senders.ts";

test("docs/reference/senders.md is what the senders' files say: run `node tools/generate-senders.ts` after a change", async () => {
  expect(await readFile(`${DOCS}reference/senders.md`, "utf8")).toBe(sendersPage());
});
