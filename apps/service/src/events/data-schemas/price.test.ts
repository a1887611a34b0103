import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TooExpensiveError, UNITS_PER_MS, WORK_MS, WorkBudget } from "../../lib/lib.ts";
import { CALL_BUDGET, compileSchema, incompatibilities, readValue, schemaFaults } from "./data-schema.ts";
import { formats } from "./formats.ts";

/** A budget that tells what was spent. */
class Meter extends WorkBudget {
  spent = 0;

  override spend(units: number): void {
    super.spend(units);
    this.spent += units;
  }
}

/** Times of a processor that is not shared, for loops and for objects that are made and read. */
const REFERENCE_MS = { loop: 12, objects: 36 };
const OBJECTS_TEXT = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ x: `${at}` })));

/** Returns how many times slower than that the processor or its memory is now. */
function slowness(): number {
  const began = nowMs();
  let mixed = 0;
  for (let at = 0; at < 10_000_000; at += 1) mixed = (mixed * 31 + at) | 0;
  const looped = nowMs();
  for (const { x } of JSON.parse(OBJECTS_TEXT) as { x: string }[]) mixed += x.length;
  if (mixed === 0) throw new Error("the reference was not calculated");
  return Math.max(1, (looped - began) / REFERENCE_MS.loop, (nowMs() - looped) / REFERENCE_MS.objects);
}

/** Returns the processor time of this thread, which the kernel counts in steps of up to 4 ms. */
function nowMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const ATTEMPTS = 8;
/** How much longer than its price a piece of work may take, and the time that is too short to judge. */
const FACTOR = 3;
const SHORT_MS = 5;

/** Returns undefined if one of several attempts took no longer than what it paid for allows. */
function fault(work: (meter: Meter) => void, units = WORK_MS * UNITS_PER_MS): string | undefined {
  let found: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const meter = new Meter(units);
    const began = nowMs();
    try {
      work(meter);
    } catch (error) {
      if (!(error instanceof TooExpensiveError)) throw error;
    }
    const tookMs = nowMs() - began;
    const paidMs = meter.spent / UNITS_PER_MS;
    const allowedMs = SHORT_MS + paidMs * FACTOR;
    if (tookMs <= allowedMs || tookMs <= allowedMs * slowness()) return undefined;
    found = `took ${tookMs.toFixed(1)} ms and paid for ${paidMs.toFixed(1)} ms`;
  }
  return found;
}

const SCHEMA = 65_000;
const DATA = 255_000;

/** Returns as many different pieces as fit, separated by commas. */
function filled(size: number, piece: (at: number) => string): string {
  const pieces: string[] = [];
  for (let left = size; left > 0; left -= (pieces.at(-1) ?? "").length + 1) pieces.push(piece(pieces.length));
  return pieces.slice(0, -1).join(",");
}

const ofA = (schema: string): string => `{"properties":{"a":${schema}}}`;
const ofItems = (schema: string): string => ofA(`{"items":${schema}}`);
const all = (piece: (at: number) => string): string => `{"allOf":[${filled(SCHEMA, piece)}]}`;
const any = (piece: (at: number) => string): string => `{"anyOf":[${filled(SCHEMA, piece)}]}`;
const list = (piece: (at: number) => string): string => `{"a":[${filled(DATA, piece)}]}`;
const object = (piece: (at: number) => string): string => `{${filled(DATA, piece)}}`;
const patterns = (of: (at: number) => string): string =>
  ofItems(`{"allOf":[${Array.from({ length: 50 }, (_, at) => JSON.stringify({ pattern: of(at) })).join(",")}]}`);
const mixed = (length: number, letters: string): string =>
  Array.from({ length }, (_, at) => letters[(at * at * 7 + (at >> 3)) % letters.length]).join("");

const DATAS = {
  ones: list(() => "1"),
  "empty objects": list(() => "{}"),
  "empty lists": list(() => "[]"),
  "small objects": list((at) => `{"x":${at}}`),
  fractions: list((at) => `${at}.${at % 97}`),
  exponents: list((at) => `1e${at % 300}`),
  "numbers of 400 digits": list(() => `${"1".repeat(199)}.${"0".repeat(199)}`),
  "a number of 255 000 digits": `{"a":[${"9".repeat(DATA)}]}`,
  "a small fraction": `{"a":[0.${"0".repeat(DATA)}1]}`,
  "different texts": list((at) => `"x${at}"`),
  "a long text": `{"a":["${mixed(DATA, "ab")}"]}`,
  "many texts": list((at) => `"${mixed(30, "ab")}${at}"`),
  "pairs of surrogates": `{"a":["${"😀".repeat(DATA / 4)}"]}`,
  "texts of Unicode": `{"a":["${mixed(DATA / 3, "一あé")}"]}`,
  "a long host": `{"a":["https://${"é.".repeat(DATA / 4)}"]}`,
  "a long path": `{"a":["https://a.example/${"a/../".repeat(DATA / 8)}"]}`,
  times: list(() => '"2026-01-01T00:00:00Z"'),
  "long addresses": list(() => `"${"a".repeat(60)}@${"a.".repeat(100)}b"`),
  "a long query": `{"a":["x:?${"a@".repeat(DATA / 2)}\\u0000"]}`,
  "a long authority": `{"a":["//${"a:".repeat(DATA / 2)}"]}`,
  "a long pointer": `{"a":["${"/a~1".repeat(DATA / 4)}~"]}`,
  "a long template": `{"a":["${"{a.b,c}".repeat(DATA / 7)}{"]}`,
  "a template of many names": `{"a":["{${"a.a,".repeat(DATA / 4)}}"]}`,
  "many classes of Unicode": `{"a":["${"\\\\p{L}".repeat(DATA / 7)}"]}`,
  "many groups": `{"a":["${"(".repeat(DATA)}"]}`,
  "many named groups": `{"a":["${Array.from({ length: DATA / 12 }, (_, at) => `(?<a${at}>)`).join("")}"]}`,
  "an object of many members": object((at) => `"k${at}":0.1`),
  "names with escapes": object((at) => `"\\u0061${at}":1`),
  "long names": object((at) => `"${"k".repeat(400)}${at}":1`),
  "one long name": `{"${"k".repeat(DATA)}":1}`,
  "nested lists": `{"a":${"[".repeat(60)}1e5,${filled(DATA, () => "1")}${"]".repeat(60)}}`,
  "many nested lists": list(() => "[[[[[[[[]]]]]]]]"),
};
const LISTS = ["ones", "empty objects", "empty lists", "small objects", "different texts"] as const;
const NUMBERS = [
  "ones",
  "fractions",
  "exponents",
  "numbers of 400 digits",
  "a number of 255 000 digits",
  "a small fraction",
] as const;
const TEXTS = [
  "different texts",
  "a long text",
  "many texts",
  "pairs of surrogates",
  "texts of Unicode",
  "a long host",
  "a long path",
  "times",
  "long addresses",
  "a long query",
  "a long authority",
  "a long pointer",
  "a long template",
  "a template of many names",
  "many classes of Unicode",
  "many groups",
  "many named groups",
] as const;
const OBJECTS = ["an object of many members", "names with escapes", "long names", "one long name"] as const;
const NESTED = ["nested lists", "many nested lists"] as const;

const CASES: Readonly<Record<string, readonly [string, ...(readonly (keyof typeof DATAS)[])[]]>> = {
  "false as anyOf": [ofItems(any(() => "false")), LISTS],
  "true as allOf": [ofItems(all(() => "true")), LISTS],
  "empty schemas": [ofItems(all(() => "{}")), LISTS],
  "types as anyOf": [ofItems(any(() => '{"type":"null"}')), LISTS],
  oneOf: [ofItems(`{"oneOf":[${filled(SCHEMA, () => "false")}]}`), LISTS],
  not: [ofItems(all(() => '{"not":{}}')), LISTS],
  conditions: [ofItems(all(() => '{"if":false,"else":true}')), LISTS],
  "const of the whole": [all((at) => `{"const":{"x":${at}}}`), OBJECTS],
  "const of elements": [ofItems(any((at) => `{"const":{"x":${at}}}`)), LISTS, NUMBERS],
  "const of numbers": [ofItems(any((at) => `{"const":${at}.5}`)), NUMBERS],
  "enum of texts": [ofItems(`{"enum":[${filled(SCHEMA, (at) => `"x${at}"`)}]}`), LISTS, TEXTS],
  "enum of objects": [ofItems(`{"enum":[${filled(SCHEMA, (at) => `{"x":${at}}`)}]}`), LISTS, NUMBERS],
  required: [ofItems(`{"required":[${filled(SCHEMA, (at) => `"n${at}"`)}]}`), LISTS],
  properties: [ofItems(`{"properties":{${filled(SCHEMA, (at) => `"n${at}":{}`)}}}`), LISTS],
  dependentRequired: [ofItems(`{"dependentRequired":{${filled(SCHEMA, (at) => `"n${at}":[]`)}}}`), LISTS],
  dependentSchemas: [ofItems(`{"dependentSchemas":{${filled(SCHEMA, (at) => `"n${at}":{}`)}}}`), LISTS],
  propertyNames: [all((at) => `{"propertyNames":{"minLength":${at % 3}}}`), OBJECTS],
  additionalProperties: [all(() => '{"additionalProperties":{}}'), OBJECTS],
  patternProperties: [
    `{"patternProperties":{${Array.from({ length: 50 }, (_, at) => `"[a-z]*${at}(x|y)$":{}`).join(",")}}}`,
    OBJECTS,
  ],
  minProperties: [all((at) => `{"minProperties":${at}}`), OBJECTS],
  maxLength: [ofItems(all((at) => `{"maxLength":${at + 130_000}}`)), TEXTS],
  minLength: [ofItems(all((at) => `{"minLength":${at + 130_000}}`)), TEXTS],
  minimum: [ofItems(all((at) => `{"minimum":${at}}`)), NUMBERS],
  "minimum of many digits": [
    ofItems(`{"allOf":[{"minimum":${"9".repeat(30_000)}},{"maximum":${"9".repeat(30_000)}}]}`),
    NUMBERS,
  ],
  multipleOf: [ofItems(all((at) => `{"multipleOf":0.${at + 1}}`)), NUMBERS],
  integer: [ofItems(all(() => '{"type":"integer"}')), NUMBERS],
  uniqueItems: [ofA(all(() => '{"uniqueItems":true}')), LISTS, NUMBERS, NESTED],
  contains: [ofA(all((at) => `{"contains":{"const":${at}},"minContains":0}`)), LISTS],
  prefixItems: [ofA(`{"prefixItems":[${filled(SCHEMA, () => "{}")}]}`), LISTS],
  "a pattern that reads once": [patterns((at) => `^[0-9a-f]{8}-[0-9a-f]{4}-${at}?`), TEXTS],
  "a pattern of many states": [patterns((at) => `(a|b)*a(a|b){${at + 20}}[cd]`), TEXTS],
  "a pattern of many instructions": [patterns((at) => `${"[a-c]?".repeat(80)}[xy]${at}`), TEXTS],
  "a pattern of many ranges": [patterns((at) => `(?:\\pL?){${200 + at}}[xy]`), TEXTS],
  "a pattern of Unicode": [patterns((at) => `(\\pL|\\pN)*[xy]${at}$`), TEXTS],
  ...Object.fromEntries(
    Object.keys(formats).map((name) => [`the format ${name}`, [ofItems(all(() => `{"format":"${name}"}`)), TEXTS]]),
  ),
  nothing: ["{}", LISTS, NUMBERS, TEXTS, OBJECTS, NESTED],
};

const scalars = fc.constantFrom("null", "1", "0.5", "1e400", '"a"', '"abcabc"', "[]", "{}", '{"a":1}', "[1,1]");
const fragments = fc.constantFrom(
  '{"type":["integer","string"]}',
  '{"enum":[1,"a",{"a":1}]}',
  '{"minimum":0.1}',
  '{"multipleOf":0.01}',
  '{"maxLength":3}',
  '{"pattern":"(a|b)*c$"}',
  '{"uniqueItems":true}',
  '{"contains":{"const":1}}',
  '{"required":["a","b"]}',
  '{"properties":{"a":{"not":{}}}}',
  '{"propertyNames":{"maxLength":1}}',
  '{"patternProperties":{"a$":false}}',
  '{"if":{"type":"null"},"then":false}',
);

describe("the price of a check", () => {
  test.each(Object.entries(CASES))("%s takes no longer than it pays for", (_what, [text, ...groups]) => {
    const schema = compileSchema(text, new WorkBudget(Infinity));
    const found = groups
      .flat()
      .map((name) => [name, fault((meter) => void schema.violations(DATAS[name], meter))] as const);
    expect(found.filter(([, one]) => one !== undefined)).toEqual([]);
  });

  test("any mixture of keywords takes no longer than it pays for", () => {
    const lists = fc.constantFrom("allOf", "anyOf", "oneOf");
    fc.assert(
      fc.property(
        lists,
        fc.array(fragments, { minLength: 1, maxLength: 4 }),
        fc.array(scalars, { minLength: 1 }),
        (...drawn) => {
          const [keyword, parts, values] = drawn;
          const branches = filled(SCHEMA, (at) => parts[at % parts.length] ?? "true");
          const schema = compileSchema(ofItems(`{"${keyword}":[${branches}]}`), new WorkBudget(Infinity));
          const data = list((at) => values[at % values.length] ?? "1");
          expect([drawn, fault((meter) => void schema.violations(data, meter))]).toEqual([drawn, undefined]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("the price of a schema", () => {
  test.each(Object.entries(CASES))("%s is read, compiled and compared for what it pays", (_what, [text]) => {
    const value = readValue(text);
    const other = readValue(text);
    const steps: Record<string, (meter: Meter) => void> = {
      read: (meter) => void readValue(text, meter),
      faults: (meter) => void schemaFaults(value, meter),
      compile: (meter) => void compileSchema(text, meter),
      compare: (meter) => void incompatibilities(value, other, meter),
    };
    const found = Object.entries(steps).map(([name, work]) => [name, fault(work, 40 * CALL_BUDGET)] as const);
    expect(found.filter(([, one]) => one !== undefined)).toEqual([]);
  });
});
