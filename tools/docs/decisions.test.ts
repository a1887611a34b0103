import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${root}docs/decisions/`;
const modules = `${root}apps/service/src/modules.json`;
const read = (file: string): string => readFileSync(`${folder}${file}`, "utf8");

const MOST_RECORDS = 70;
const PATH_OF_A_FILE =
  /`((?:apps|bench|conformance|connectors|deploy|docs|faults|openapi|packages|sdks|tools)\/[\w./-]+\.\w+)`/g;
const SECTIONS = ["Decision", "Why", "Evidence"];
/** A record is read before its code is changed, so that it must be short. */
const MOST_WORDS = 560;
const OTHER_AREAS = ["API and SDKs", "console", "tools, tests and CI", "performance", "documentation"];
const AREAS = new Set([...(JSON.parse(readFileSync(modules, "utf8")) as string[]), ...OTHER_AREAS]);

/** The numbers of the records before they were merged. Commit messages and migrations cite them. */
const NUMBERS_BEFORE =
  "1-6 10-11 15-18 20-27 30-32 35-42 45-70 74-76 80-91 95-97 100-101 105-113 120-128 130-138 140-145 " +
  "150-152 155-157 160-166 170-171 175-176 180-181 190-192 200 205-206 210-218 220-230 232-238 240-244 " +
  "247-253 255-257 260-265";
const MERGED = NUMBERS_BEFORE.split(" ").flatMap((range) => {
  const [from = 0, to = from] = range.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at).padStart(4, "0"));
});

interface Row {
  readonly number: string;
  readonly title: string;
  readonly file: string;
  readonly area: string;
}

const files = readdirSync(folder).filter((file) => file !== "README.md");
const index = read("README.md");
const [areas = "", old = ""] = index.split(/^## Old numbers$/m);
const listed = areas.split(/^## /m).flatMap((part): Row[] => {
  const area = part.slice(0, part.indexOf("\n"));
  return [...part.matchAll(/^- \[(\d{4}): (.+)\]\((.+)\)$/gm)].map(([, number = "", title = "", file = ""]) => ({
    number,
    title,
    file,
    area,
  }));
});

describe.each(files)("%s", (file) => {
  const text = read(file);
  const [, status, date, area] = /^---\nstatus: (.+)\ndate: (.+)\narea: (.+)\n---\n\n# /.exec(text) ?? [];
  const [, number, title] = /^# (\d{4}): (.+)$/m.exec(text) ?? [];

  test("has front matter with a status, a date and an area", () => {
    expect(status).toMatch(/^(?:accepted|superseded by \d{4})$/);
    const successor = status?.slice(-4);
    if (status !== "accepted") expect(files.some((other) => other.startsWith(`${successor}-`))).toBe(true);
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(new Date(`${date}T00:00:00Z`).toISOString()).toContain(date);
    expect(AREAS).toContain(area);
  });

  test("has the sections of the format, in order, each with a text", () => {
    const parts = text.split(/^## /m).slice(1);
    expect(parts.map((part) => part.slice(0, part.indexOf("\n")))).toEqual(SECTIONS);
    for (const part of parts) expect(part.slice(part.indexOf("\n")).trim()).not.toBe("");
  });

  test("names a test or a measurement, and is short", () => {
    const evidence = text.split("\n## Evidence\n")[1] ?? "";
    expect(evidence).toMatch(/\.test\.tsx?`|`npm run /);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
  });

  test("names only files that exist", () => {
    const named = [...text.matchAll(PATH_OF_A_FILE)].map(([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  });

  test("is listed once in the index, with its title and under its area", () => {
    expect(file).toMatch(/^\d{4}-[a-z\d]+(?:-[a-z\d]+)*\.md$/);
    expect(file.slice(0, 4)).toBe(number);
    expect(listed.filter((row) => row.file === file)).toEqual([{ number, title, file, area }]);
  });
});

test("the numbers are unique, and there are at most 70 records", () => {
  const numbers = files.map((file) => file.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(MOST_RECORDS);
});

test("the index lists no record that does not exist", () => {
  expect(listed.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
});

test("the table maps every old number to a record that exists", () => {
  const rows = [...old.matchAll(/^\| (\d{4}) +\| (.+?) +\|$/gm)];
  const before = rows.map(([, number = ""]) => number);
  const now = files.map((file) => file.slice(0, 4));
  expect(before).toEqual([...new Set(before)]);
  expect(before.filter((number) => now.includes(number))).toEqual([]);
  for (const [, , records = ""] of rows)
    for (const record of records.split(", ")) {
      const [, number = "", file = ""] = /^\[(\d{4})\]\((.+)\)$/.exec(record) ?? [];
      expect(files).toContain(file);
      expect(file.slice(0, 4)).toBe(number);
    }
  const known = [...before, ...now];
  expect(MERGED.filter((number) => !known.includes(number))).toEqual([]);
});
