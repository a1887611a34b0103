import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { locate, MAX_PATH_LENGTH, readPath } from "./path.ts";
import { fillTemplate, readTemplate } from "./template.ts";

interface Case {
  readonly path: string;
  readonly document?: unknown;
  readonly found?: readonly unknown[];
  readonly refused?: true;
}

const vectors = new URL("../../../../conformance/paths.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: readonly Case[] };

test.each(cases.filter(({ refused }) => refused !== true))("$path finds the value that the vectors define", (one) => {
  const path = readPath(one.path);
  const found = locate(one.document, path?.steps ?? ["the path was refused"]);
  expect(found === undefined ? [] : [found.value]).toEqual(one.found);
});

covers("mapping.path.form", "a path that is not a singular query is refused", () => {
  const refused = cases.filter((one) => one.refused === true);
  expect(refused.length).toBeGreaterThan(250);
  for (const { path } of refused) expect([path, readPath(path)]).toEqual([path, undefined]);
});

test("a path of 512 characters is read, and a longer one is refused unread", () => {
  const long = `$.${"a".repeat(MAX_PATH_LENGTH - 2)}`;
  expect(readPath(long)?.steps).toEqual(["a".repeat(MAX_PATH_LENGTH - 2)]);
  expect(readPath(`${long}a`)).toBeUndefined();
});

test("hostile paths are refused without running their expressions", () => {
  const nested = (open: string, close: string, times: number): string =>
    `$[?${open.repeat(times)}@.a${close.repeat(times)}]`;
  const hostile = [
    "$[?match(@.a, '(a+)+(a+)+(a+)+(a+)+$')]",
    `$[?search(@.a, '${"(".repeat(60)}a${")*".repeat(60)}')]`,
    nested("(", ")", 240),
    nested("!(", ")", 160),
    nested("@[?", "]", 100),
    `$[?${"@.a&&".repeat(99)}@.b]`,
    `$${"..*".repeat(170)}`,
    `$[${"9".repeat(500)}]`,
    `$['${"\\".repeat(499)}']`,
    `$${"['".repeat(250)}`,
  ];
  const before = process.cpuUsage();
  for (const path of hostile) expect([path, readPath(path)]).toEqual([path, undefined]);
  // A regular expression that ran would take seconds of CPU time. Together, all these paths take a few milliseconds.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(0.5);
});

covers("mapping.template.summary", "each ${path} token is replaced, and inserted text is not read again", () => {
  const fill = (text: string): string | undefined => {
    const template = readTemplate(text);
    return template && fillTemplate(template, ({ steps }) => textOf(locate(DOCUMENT, steps)?.value));
  };
  const DOCUMENT = { a: { b: "x", "q}'": "quoted" }, list: [1, 2], trick: "${$.a.b}", 价: "cjk" };
  const texts: [string, string | undefined][] = [
    ["", ""],
    ["no token", "no token"],
    ["${$.a.b}", "x"],
    ["${a.b}", "x"],
    ["${ a.b }", "x"],
    ["<${$.a.b}>${list[1]}${$['list'][0]}", "<x>21"],
    ["${['a']['b']}", "x"],
    [`\${$.a["q}'"]}`, "quoted"],
    ["${trick}", "${$.a.b}"],
    ["$${a.b}$", "$x$"],
    ["${价}", "cjk"],
    ["${missing}!", "!"],
    ["{a.b} $a.b", "{a.b} $a.b"],
    ["${a.b", undefined],
    ["${}", undefined],
    ["${a.*}", undefined],
    ["${$..a}", undefined],
    ["${a.b} ${", undefined],
    ["${['a}", undefined],
  ];
  for (const [text, filled] of texts) expect([text, fill(text)]).toEqual([text, filled]);
});

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
