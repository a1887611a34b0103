import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, JsonError, parseJson, scanJson } from "./json.ts";
import { findSyntaxFault } from "./json-scan.ts";

/** A generated JSON text, whose content is known without reading it. */
interface Built {
  readonly text: string;
  readonly value: unknown;
  readonly repeats: boolean;
}

const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n  ");
const character = fc.constantFrom(
  " ",
  ...String.raw`a b / ~ é 🎉 { ] , : \u0061 \u0062 \/ \u00e9 \u00E9 \ud83c\udf89 \ud800 \u0000 \" \\ \n`.split(" "),
);
const quoted = fc.array(character, { maxLength: 4 }).map((parts) => `"${parts.join("")}"`);
const long = fc.array(character, { minLength: 30, maxLength: 60 }).map((parts) => `"${parts.join("")}"`);
const scalar = fc.oneof(
  fc.constantFrom("true", "false", "null", "-0", "1e400", "12345678901234567890", "0.10", "-1E+2", '"__proto__"'),
  quoted,
  long,
);
const name = fc.oneof(quoted, fc.constantFrom('"__proto__"', '"\\u005f_proto__"', '"constructor"', '"0"', '"10"'));

const { node } = fc.letrec<{ node: Built }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar.map((text) => ({ text, value: JSON.parse(text) as unknown, repeats: false })),
    fc.tuple(fc.array(tie("node"), { maxLength: 4 }), space).map(([items, gap]) => ({
      text: `[${gap}${items.map((item) => item.text).join(`${gap},${gap}`)}${gap}]`,
      value: items.map((item) => item.value),
      repeats: items.some((item) => item.repeats),
    })),
    fc.tuple(fc.array(fc.tuple(name, tie("node")), { maxLength: 4 }), space).map(([members, gap]) => ({
      text: `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value.text}`).join(`,${gap}`)}${gap}}`,
      value: Object.fromEntries(members.map(([key, { value }]) => [JSON.parse(key), value])),
      repeats:
        new Set(members.map(([key]) => String(JSON.parse(key)))).size < members.length ||
        members.some(([, value]) => value.repeats),
    })),
  ),
}));
const built = fc
  .tuple(space, node, space)
  .map(([before, { text, ...rest }, after]) => ({ text: before + text + after, ...rest }));

/** JSON with a character inserted, removed, doubled or cut off at the end. */
const damaged = fc
  .tuple(
    built,
    fc.nat(),
    fc.constantFrom("insert", "delete", "cut"),
    fc.constantFrom(...'{}[],:"\\0-.eEu\n\u0000x \uFEFF'.split("")),
  )
  .map(([{ text }, place, how, char]) => {
    const at = place % (text.length + 1);
    if (how === "cut") return text.slice(0, at);
    return text.slice(0, at) + (how === "insert" ? char : "") + text.slice(how === "insert" ? at : at + 1);
  });
const soup = fc
  .array(fc.constantFrom(...'{}[],:"\\01-+.eE \tatrue'.split(""), "null", "true", '"a"', "\\u"), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

const bytes = (text: string): Buffer => Buffer.from(text);

function faultOf(raw: Uint8Array): JsonError | undefined {
  try {
    scanJson(raw);
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

function throws(attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch {
    return true;
  }
}

/** Nests 1 within arrays (false) and objects (true). */
function nest(levels: readonly boolean[]): string {
  const open = levels.map((object) => (object ? '{"a":' : "["));
  const close = levels.toReversed().map((object) => (object ? "}" : "]"));
  return `${open.join("")}1${close.join("")}`;
}

function* placesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly [readonly (string | number)[], unknown]> {
  yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value))
    yield* placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]);
}

describe("JSON syntax", () => {
  test("a text is refused for its syntax exactly when JSON.parse refuses it", () => {
    const text = fc.oneof(
      built.map((whole) => whole.text),
      damaged,
      soup,
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const wellFormed = candidate.toWellFormed();
        const fault = faultOf(bytes(wellFormed));
        const refused = throws(() => JSON.parse(wellFormed));
        expect(fault?.reason === "syntax").toBe(refused);
        expect(findSyntaxFault(wellFormed) !== undefined).toBe(refused);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["", 0],
    ["  ", 2],
    ["{", 1],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["01", 1],
    ["1.", 1],
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12G4"', 1],
    ['"abc', 4],
    ["[}", 1],
    ["{} {}", 3],
    ["\uFEFF{}", 0],
    ["/**/1", 0],
  ])("%j is refused at offset %i", (text, at) => {
    expect(faultOf(bytes(text))).toMatchObject({ reason: "syntax", at });
  });

  test("a message never shows the body, and a repeated name no longer than 40 characters", () => {
    const secret = "whsec_".padEnd(300, "x");
    expect(faultOf(bytes(`{"a":${secret}}`))?.message).not.toContain("whsec");
    const fault = faultOf(bytes(`{"${secret}":1,"${secret}":2}`));
    expect(fault?.message).toContain("whsec_x");
    expect(fault?.message).not.toContain(secret.slice(0, 40));
    expect(fault?.pointer).toBeUndefined();
  });
});

describe("UTF-8", () => {
  test.each([
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22], 1],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ["a truncated character", [0x22, 0x61, 0xe2, 0x82], 2],
    ["a stray continuation after a genuine U+FFFD", [0x22, 0xef, 0xbf, 0xbd, 0x80, 0x22], 4],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80], 0],
  ])("%s is refused", (_, raw, at) => {
    expect(faultOf(Uint8Array.from(raw))).toMatchObject({ reason: "utf8", at });
  });

  test("bytes are refused as UTF-8 exactly when a fatal decoder refuses them", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .tuple(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 2 }))
        .map(([text, tail]) => Buffer.concat([bytes(text), tail])),
    );
    fc.assert(
      fc.property(some, (raw) => {
        const valid = !throws(() => decoder.decode(raw));
        const fault = faultOf(raw);
        expect(fault?.reason === "utf8").toBe(!valid);
        expect(() => decoder.decode(raw.subarray(0, valid ? raw.length : fault?.at))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  test("a view into a larger buffer is read by its own bounds", () => {
    const backing = bytes('xx{"a":1}xx');
    expect(scanJson(new Uint8Array(backing.buffer, backing.byteOffset + 2, 7)).value).toStrictEqual({ a: 1 });
  });
});

describe("depth", () => {
  test("64 levels are accepted and 65 refused for any mix of brackets", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 65, maxLength: 65 }), (kinds) => {
        expect(faultOf(bytes(nest(kinds.slice(1))))).toBeUndefined();
        expect(faultOf(bytes(nest(kinds)))?.reason).toBe("depth");
      }),
    );
  });

  test.each(["[", '{"a":', '[{"a":'])("a million repetitions of %s are refused without a crash", (open) => {
    expect(faultOf(bytes(open.repeat(1_000_000)))?.reason).toBe("depth");
  });

  test("brackets inside strings do not count as levels", () => {
    expect(faultOf(bytes(JSON.stringify({ a: '["\\'.repeat(200) })))).toBeUndefined();
  });

  test("any number of mismatched brackets is a syntax fault", () => {
    expect(faultOf(bytes("[}".repeat(100_000)))?.reason).toBe("syntax");
    expect(faultOf(bytes("]".repeat(1000) + "[".repeat(1000)))?.reason).toBe("syntax");
  });
});

describe("repeated names", () => {
  test("a body is refused exactly when an object repeats a name in any spelling", () => {
    fc.assert(
      fc.property(built, ({ text, repeats }) => {
        expect(faultOf(bytes(text))?.reason).toBe(repeats ? "duplicate_name" : undefined);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['{"a":1,"\\u0061":2}', 7, "/a"],
    ['{"a":1,"b":{"c":[0,{"x":1,"x":2}]}}', 26, "/b/c/1/x"],
    ['{"__proto__":1,"__proto__":2}', 15, "/__proto__"],
    ['{"a/b~":{"":1,"":2}}', 14, "/a~1b~0/"],
    ['{"1":1,"1":2}', 7, "/1"],
    ['[{"a":1},{"b":[],"b":1}]', 17, "/1/b"],
    ['{"\\ud83d\\ude00":1,"😀":2}', 18, "/😀"],
    ['{"a":{"b":1,"b":2},"a":3}', 12, "/a/b"],
  ])("in %s it is found at offset %i", (text, at, pointer) => {
    expect(faultOf(bytes(text))).toMatchObject({ reason: "duplicate_name", at, pointer });
  });

  test("the same name in different objects, or as a value, is accepted", () => {
    expect(faultOf(bytes('{"a":{"a":[{"a":"a"},{"a":"a"}]},"b":"a","c":"\\"a\\":"}'))).toBeUndefined();
  });
});

describe("names spelled with escapes", () => {
  test.each([
    [String.raw`{"k":[],"\\u0061":0}`, String.raw`{"k":1,"\u0061mount":2}`, "amount"],
    [String.raw`{"h":[],"\\":0}`, String.raw`{"h":1,"\"":2}`, '"'],
  ])("an earlier body %s does not change what %s means", (earlier, later, second) => {
    scanJson(bytes(earlier));
    expect(Object.keys(Object(scanJson(bytes(later)).value))[1]).toBe(second);
    expect(Object.keys(Object(parseJson(later)))[1]).toBe(second);
  });

  test("the last value of a repeated name stands when repetition is not refused", () => {
    expect(parseJson(String.raw`{"a":1,"b":[{"x":1}],"\u0061":{"c":[1,2]}}`)).toStrictEqual({
      a: { c: [1, 2] },
      b: [{ x: 1 }],
    });
    expect(() => parseJson('{"a":')).toThrow(JsonError);
    expect(() => parseJson("[".repeat(65) + "]".repeat(65))).toThrow(JsonError);
  });
});

describe("slices", () => {
  test("every slice parses to the value at its path, without outer space", () => {
    fc.assert(
      fc.property(
        built.filter(({ repeats }) => !repeats),
        ({ text, value: whole }) => {
          const scanned = scanJson(bytes(text));
          expect(scanned.text).toBe(text);
          // The matchers of the test runner would read `__proto__` through the prototype.
          expect(isDeepStrictEqual(scanned.value, whole)).toBe(true);
          for (const [path, value] of placesIn(whole)) {
            const slice = scanned.slice(path) ?? "";
            expect(isDeepStrictEqual(parseJson(slice), value)).toBe(true);
            expect(text).toContain(slice);
            expect(slice).toBe(slice.trim());
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each([
    "12345678901234567890",
    "1e400",
    "-0",
    "1.10",
    '"\\u0000"',
    '"\\ud800"',
    '"\\/\\u0041\\ud83d\\ude00 🎉"',
    '{ "z" : 1,\n\t"a":[ ] , "__proto__":{"x":1} }',
  ])("%s keeps its spelling", (source) => {
    const scanned = scanJson(bytes(`{"event":"a.b" , "data":\n ${source}\t, "events":[0, {"data": ${source}}]} `));
    expect(scanned.slice(["data"])).toBe(source);
    expect(scanned.slice(["events", 1, "data"])).toBe(source);
  });

  test("a name is found by its meaning, not its spelling", () => {
    expect(scanJson(bytes('{"d\\u0061ta": 1}')).slice(["data"])).toBe("1");
  });

  test("a missing path finds nothing, and the empty path is the whole", () => {
    const scanned = scanJson(bytes(' {"a":[1],"b":"x","0":{}} '));
    for (const path of [
      ["c"],
      ["a", 1],
      ["a", -1],
      ["a", "0"],
      [0],
      ["b", 0],
      ["b", "length"],
      ["toString"],
      ["__proto__"],
    ]) {
      expect(scanned.slice(path)).toBeUndefined();
    }
    expect(scanned.slice(["0"])).toBe("{}");
    expect(scanned.slice([])).toBe('{"a":[1],"b":"x","0":{}}');
    expect(scanJson(bytes(" 7 ")).slice([])).toBe("7");
  });

  test("__proto__ is kept as data and changes no prototype", () => {
    const { value } = scanJson(bytes('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'));
    expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(JSON.stringify(value)).toContain('"__proto__":{"polluted":true}');
  });

  test("500 slices of a full batch take no more than seconds", () => {
    const event = { event: "order.created", data: { note: "x".repeat(400) } };
    const scanned = scanJson(bytes(JSON.stringify({ events: Array.from({ length: 500 }, () => event) })));
    const started = performance.now();
    for (let at = 0; at < 500; at += 1) expect(scanned.slice(["events", at, "data"])).toHaveLength(411);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("canonical form (RFC 8785)", () => {
  test("the example of section 3.2.2 yields the RFC's text", () => {
    const value: unknown = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("names sort by UTF-16 code units, as in section 3.2.3", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const canonical = canonicalJson(Object.fromEntries(names.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(canonical) as object)).toHaveLength(7);
    expect(canonical).toBe('{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\ud83d\ude00":0,"\ufb33":0}');
  });

  test("it parses back to the value and does not depend on member order", () => {
    const string = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => JSON.stringify(value).isWellFormed()),
        fc.dictionary(string, fc.integer()),
        (value, members) => {
          const both = { value, members };
          // JSON.parse reads one of some 100 000 texts with an escaped name wrong.
          const [canonical, text] = [canonicalJson(both), JSON.stringify(both)];
          expect(isDeepStrictEqual(parseJson(canonical), parseJson(text)) ? "same" : { canonical, text }).toBe("same");
          expect(canonicalJson(parseJson(canonical))).toBe(canonical);
          const reversed = Object.fromEntries(Object.entries(members).toReversed());
          expect(canonicalJson({ members: reversed, value })).toBe(canonical);
        },
      ),
    );
  });

  test("minus zero is 0, undefined members are omitted and __proto__ is kept", () => {
    expect(canonicalJson({ b: -0, a: undefined })).toBe('{"b":0}');
    expect(canonicalJson(JSON.parse('{"__proto__":1,"A":2}'))).toBe('{"A":2,"__proto__":1}');
  });

  test.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ["\ud800"],
    [{ "\udc00": 1 }],
    [[undefined]],
    [undefined],
    [1n],
    [new Map()],
    [() => 1],
  ])("%o has no canonical form", (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});
