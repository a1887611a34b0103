import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { repetitions } from "./repetition.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SOURCES = ["apps/service/src", "apps/console/src"];
const SHORTEST = 12;

async function sources() {
  const patterns = SOURCES.map((folder) => `${folder}/**/*.{ts,tsx}`);
  const paths = globSync(patterns, { cwd: ROOT });
  const written = paths.filter((path) => !/\.generated\.tsx?$|\/generated\/|\/migrations\//.test(path)).toSorted();
  return await Promise.all(written.map(async (path) => ({ path, text: await readFile(ROOT + path, "utf8") })));
}

test("no run of twelve lines occurs twice; share a function, type or set-up", async () => {
  const files = await sources();
  expect(files.length).toBeGreaterThan(500);
  expect(repetitions(files, SHORTEST)).toEqual([]);
});

test("a run is found once with both places, ignoring indentation, blank lines and imports", () => {
  const files = [
    { path: "a.ts", text: 'import {\n  x,\n} from "x";\none\ntwo\nthree\nfour' },
    { path: "b.ts", text: 'zero\n  one\n\n  two\n  three\nimport y from "y";\n  four' },
  ];
  expect(repetitions(files, 3)).toEqual(["a.ts:4 ~ b.ts:2"]);
  expect(repetitions(files, 4)).toEqual(["a.ts:4 ~ b.ts:2"]);
  expect(repetitions(files, 5)).toEqual([]);
});

test("a run that occurs twice in one file is found", () => {
  expect(repetitions([{ path: "a.ts", text: "one\ntwo\nother\none\ntwo" }], 2)).toEqual(["a.ts:1 ~ a.ts:4"]);
});
