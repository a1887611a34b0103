import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { PREDICATES } from "./checker.ts";
import { edited } from "./planted/edits.ts";
import { FAILPOINTS } from "./planted/failpoints.ts";
import { PLANTED } from "./planted/list.ts";
import { PLACES } from "./schedule.ts";

const SOURCES = new URL("../../apps/service/src/", import.meta.url);

test("every failpoint and every planted fault still fits the source of the service", async () => {
  for (const { edits } of [...PLANTED, { edits: [] }]) {
    for (const file of new Set([...FAILPOINTS, ...edits].map((edit) => edit.file))) {
      const source = await readFile(new URL(file, SOURCES), "utf8");
      const own = [...FAILPOINTS, ...edits].filter((edit) => edit.file === file);
      expect(edited(source, own)).not.toBe(source);
    }
  }
});

test("an edit that does not fit is an error", () => {
  const edit = { file: "a.ts", find: "one", replace: "two" };
  expect(() => edited("other", [edit])).toThrow("a.ts has 0 × one");
  expect(() => edited("one one", [edit])).toThrow("a.ts has 2 × one");
});

test("every place has a failpoint, and every planted fault a predicate", () => {
  for (const place of PLACES) expect(FAILPOINTS.some(({ replace }) => replace.includes(`"${place}"`))).toBe(true);
  const names = new Set(PREDICATES.map(({ name }) => name));
  expect(PLANTED.filter(({ foundBy }) => !names.has(foundBy))).toEqual([]);
});

test("the page names each promise, and each planted fault with its seed", async () => {
  const page = await readFile(new URL("../../docs/reliability.md", import.meta.url), "utf8");
  expect(PREDICATES.filter(({ promise }) => !page.includes(promise)).map(({ name }) => name)).toEqual([]);
  const rows = PLANTED.filter(({ name, what, foundBy, seed }) => {
    const cells = [`\`${name}\``, what, `\`${foundBy}\``, String(seed ?? "not run")];
    return !page.split("\n").some(
      (line) =>
        line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1)
          .join("|") === cells.join("|"),
    );
  });
  expect(rows.map(({ name }) => name)).toEqual([]);
});
