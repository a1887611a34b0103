import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonSchemaSuite, whyNoJsonSchemaSuite } from "../../../../../tools/json-schema-suite.ts";
import { WorkBudget } from "../../lib/lib.ts";
import { compileSchema, readValue, schemaFaults } from "./data-schema.ts";
import { formats } from "./formats.ts";

/** The published test suite of JSON Schema 2020-12. */

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const missing = await whyNoJsonSchemaSuite();
const folder = missing === undefined ? await jsonSchemaSuite() : "";

async function groupsOf(file: string): Promise<Group[]> {
  return JSON.parse(await readFile(join(folder, file), "utf8"));
}

/** The data of an event is an object, so that each value of the suite is a member of one. */
function within(schema: unknown): string {
  const text = JSON.stringify({ properties: { a: schema } });
  return text.replaceAll(/"\$ref":"#(?=["/])/g, '"$ref":"#/properties/a');
}

/** Returns the tests of a group with which our checks do not agree; the codes of the faults if its schema is refused. */
function disagreements({ description, schema, tests }: Group): { refused?: string[]; wrong: string[] } {
  const text = within(schema);
  const faults = schemaFaults(readValue(text));
  if (faults.length > 0) return { refused: faults.map(({ code }) => code), wrong: [] };
  const compiled = compileSchema(text);
  const wrong = tests.filter(({ data, valid }) => {
    const { length } = compiled.violations(JSON.stringify({ a: data }), new WorkBudget());
    return (length === 0) !== valid;
  });
  return { wrong: wrong.map((one) => `${description}: ${one.description}`) };
}

/** Why schemas of these files are refused when they are saved. A schema of events is one text, and has no keyword without an effect. */
const REFUSED: Readonly<Record<string, string>> = {
  "anchor.json": "$anchor and $id are not supported",
  "content.json": "contentSchema is not supported",
  "defs.json": "references to other documents are not supported",
  "dynamicRef.json": "$dynamicRef and $dynamicAnchor are not supported",
  "format.json": "idn-hostname is not supported: it needs the tables of IDNA 2008",
  "not.json": "unevaluatedProperties is not supported",
  "ref.json": "$id, cycles and references to other documents are not supported",
  "refRemote.json": "references to other documents are not supported",
  "unevaluatedItems.json": "unevaluatedItems is not supported",
  "unevaluatedProperties.json": "unevaluatedProperties is not supported",
  "vocabulary.json": "$vocabulary is not supported",
  "optional/anchor.json": "$anchor and $id are not supported",
  "optional/cross-draft.json": "references to other documents are not supported",
  "optional/dependencies-compatibility.json": "dependencies is a keyword of earlier drafts",
  "optional/dynamicRef.json": "$dynamicRef and $dynamicAnchor are not supported",
  "optional/ecmascript-regex.json": "patterns have the syntax of RE2, so that they are matched in linear time",
  "optional/format-assertion.json": "metaschemas of one's own are not supported",
  "optional/format/unknown.json": "a format that is not known would have no effect",
  "optional/id.json": "$id is not supported",
  "optional/refOfUnknownKeyword.json": "unknown keywords are not supported",
  "optional/unknownKeyword.json": "unknown keywords are not supported",
  "optional/format/idn-hostname.json": "idn-hostname is not supported: it needs the tables of IDNA 2008",
};

interface Exception {
  readonly file: string;
  readonly tests: RegExp;
  readonly why: string;
}

/** The tests with which our checks do not agree. */
const EXCEPTIONS: readonly Exception[] = [
  { file: "format.json", tests: /only an annotation by default$/, why: "formats are always checked" },
  { file: "ref.json", tests: /^naive replacement of \$ref/, why: "this test changes the $ref in a value too" },
  { file: "optional/ecmascript-regex.json", tests: /\\s matches whitespace|\\S matches/, why: "\\s of RE2 is ASCII" },
  { file: "optional/float-overflow.json", tests: /multiples of 0.5/, why: "digits of an exponent are limited" },
];

const REQUIRED = missing === undefined ? (await readdir(folder)).filter((name) => name.endsWith(".json")) : [""];
const OPTIONAL = missing === undefined ? await readdir(join(folder, "optional"), { recursive: true }) : [];
const FILES = [...REQUIRED, ...OPTIONAL.filter((name) => name.endsWith(".json")).map((name) => `optional/${name}`)];

// Without Debian's packages these tests are skipped on a developer's machine. CI always runs them.
describe.skipIf(missing !== undefined)("the published suite", () => {
  test.each(FILES)("agrees in %s, except for the listed tests", async (file) => {
    const judged = (await groupsOf(file)).map(disagreements);
    const wrong = judged.flatMap((one) => one.wrong);
    const excepted = EXCEPTIONS.filter((one) => one.file === file);
    expect(wrong.filter((name) => !excepted.some(({ tests }) => tests.test(name)))).toEqual([]);
    expect(excepted.filter(({ tests }) => !wrong.some((name) => tests.test(name)))).toEqual([]);
    expect(judged.some(({ refused }) => refused !== undefined)).toBe(Object.hasOwn(REFUSED, file));
  });

  test("has tests for each format that is checked", () => {
    const names = OPTIONAL.flatMap((name) => /^format\/(.+)\.json$/.exec(name)?.[1] ?? []);
    const others = ["ecmascript-regex", "idn-hostname", "unknown"];
    expect(names.filter((name) => !others.includes(name)).toSorted()).toEqual(Object.keys(formats).toSorted());
  });
});
