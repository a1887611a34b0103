import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { withPicture } from "./picture.ts";

test("the picture of ARCHITECTURE.md is the one that the imports give; tools/generate-architecture.ts writes it", async () => {
  const page = await readFile(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  expect(page).toBe(withPicture(page));
});

test("a page without a place for the picture is refused", () => {
  expect(() => withPicture("# Architecture")).toThrow("ARCHITECTURE.md has no <!-- modules: begin -->");
});
