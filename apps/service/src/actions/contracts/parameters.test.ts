import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { scanJson } from "../../lib/lib.ts";
import { contractArgs } from "../../testing/contracts.ts";
import { contractOf } from "./contract.ts";
import type { Contract, VersionFacts } from "./contract.ts";
import type { ParameterInput } from "./parameter-specs.ts";
import { definitionOf } from "./definition.ts";
import type { ContractInput } from "./contracts.schemas.ts";
import { checkParameters, parametersSchema } from "./parameters.ts";

function contract(params: Record<string, ParameterInput>): Contract {
  return contractOf({} as VersionFacts, definitionOf(contractArgs({ params }) as unknown as ContractInput));
}

/** Returns `pointer code` for each fault of parameters that arrive as JSON. */
function faults(params: Record<string, ParameterInput>, json: string): string[] {
  const { value } = scanJson(Buffer.from(json));
  return checkParameters(contract(params), value).map((one) => `${one.pointer.replace("/parameters", "")} ${one.code}`);
}

/** Returns the one fault of a value of `p`; empty if the value is accepted. */
function fault(spec: ParameterInput, json: string): string {
  const [first = "", ...more] = faults({ p: spec }, `{"p":${json}}`);
  expect(more).toEqual([]);
  return first.replace("/p ", "");
}

test("int is a JSON integer that a double holds exactly, in any notation", () => {
  const good = ["0", "-0", "1", "-1", "9007199254740991", "-9007199254740991", "1.0", "1e3", "10E-1"];
  for (const json of good) expect([json, fault({ type: "int" }, json)]).toEqual([json, ""]);
  const bad = [
    "9007199254740992",
    "-9007199254740992",
    "9007199254740993",
    "1.5",
    "1e-1",
    "1e400",
    "1e16",
    '"1"',
    "true",
  ];
  for (const json of [...bad, "null", "[1]", "{}", '""']) {
    expect([json, fault({ type: "int" }, json)]).toEqual([json, "type"]);
  }
});

test("number, boolean and string accept only values of their own type", () => {
  for (const json of ["0", "-1.5", "1e300", "5e-324"]) expect(fault({ type: "number" }, json)).toBe("");
  for (const json of ["1e400", '"1"', "false", "null"]) expect(fault({ type: "number" }, json)).toBe("type");
  for (const json of ["true", "false"]) expect(fault({ type: "boolean" }, json)).toBe("");
  for (const json of ["0", "1", '"true"', "null", "[]"]) expect(fault({ type: "boolean" }, json)).toBe("type");
  for (const json of ['""', '"0"', '"null"', '"😀"']) expect(fault({ type: "string" }, json)).toBe("");
  for (const json of ["0", "null", "true", "[]", '["a"]']) expect(fault({ type: "string" }, json)).toBe("type");
});

covers(
  ["action.param.max", "limit.param.reason-500"],
  "max counts code points: 500 of any kind are accepted, and 501 are refused",
  () => {
    const reason = { type: "string", max: 500 } as const;
    for (const character of ["a", "é", "漢", "😀", "\u0301"]) {
      expect(fault(reason, JSON.stringify(character.repeat(500)))).toBe("");
      expect(fault(reason, JSON.stringify(character.repeat(501)))).toBe("max");
    }
    expect(fault({ type: "string", min: 2 }, '"😀"')).toBe("min");
    expect(fault({ type: "string", max: 0 }, '""')).toBe("");
  },
);

test("the bounds of numbers are inclusive", () => {
  expect(fault({ type: "int", min: 1, max: 3 }, "1")).toBe("");
  expect(fault({ type: "int", min: 1, max: 3 }, "3")).toBe("");
  expect(fault({ type: "int", min: 1, max: 3 }, "0")).toBe("min");
  expect(fault({ type: "int", min: 1, max: 3 }, "4")).toBe("max");
  expect(fault({ type: "number", min: -0.5, max: 0.5 }, "0.5000000000000001")).toBe("max");
});

test("NUL and lone surrogates are refused", () => {
  for (const json of [String.raw`"\u0000"`, String.raw`"a\u0000b"`, String.raw`"\ud800"`, String.raw`"\udc00\ud800"`])
    expect([json, fault({ type: "string" }, json)]).toEqual([json, "text"]);
  expect(fault({ type: "string" }, String.raw`"\ud83d\ude00\u0001"`)).toBe("");
});

test("only a value of the enum, with its type, is accepted", () => {
  expect(fault({ type: "string", enum: ["a", "b"] }, '"a"')).toBe("");
  expect(fault({ type: "string", enum: ["a", "b"] }, '"c"')).toBe("enum");
  expect(fault({ type: "int", enum: [1, 2] }, "2")).toBe("");
  expect(fault({ type: "int", enum: [1, 2] }, '"2"')).toBe("type");
});

covers("action.param.required", "a required parameter must be present, and unknown parameters are refused", () => {
  const params = { a: { type: "string", required: true }, b: { type: "int" } } as const;
  expect(faults(params, "{}")).toEqual(["/a required"]);
  expect(faults(params, '{"a":null}')).toEqual(["/a type"]);
  expect(faults(params, '{"a":"x"}')).toEqual([]);
  expect(faults(params, '{"a":"x","c":1}')).toEqual(["/c unknown"]);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    expect(faults(params, `{"a":"x","${name}":{}}`)).toEqual([`/${name} unknown`]);
  expect(faults(params, '{"__proto__":{"a":"x"}}')).toEqual(["/__proto__ unknown", "/a required"]);
  const inherited: Record<string, ParameterInput> = Object.fromEntries([
    ["toString", { type: "int", required: true } as const],
  ]);
  expect(faults(inherited, "{}")).toEqual(["/toString required"]);
});

test("parameters must be an object, and are empty if omitted", () => {
  const optional = { a: { type: "string" } } as const;
  expect(checkParameters(contract(optional), undefined)).toEqual([]);
  expect(checkParameters(contract({ a: { type: "int", required: true } }), undefined)).toHaveLength(1);
  for (const json of ["null", "[]", '"a"', "5", "true"]) expect(faults(optional, json)).toEqual([" type"]);
});

test("all faults are reported together, each at its own pointer, without repeating a value", () => {
  const params = {
    a: { type: "int", required: true },
    b: { type: "string", max: 3, enum: ["x"], sensitive: true },
    c: { type: "int", max: 5 },
    d: { type: "boolean" },
  } as const;
  expect(faults(params, '{"b":"secret","c":9,"d":0,"e/f":1,"~":2}')).toEqual([
    "/e~1f unknown",
    "/~0 unknown",
    "/a required",
    "/b max",
    "/b enum",
    "/c max",
    "/d type",
  ]);
  const messages = checkParameters(contract(params), { b: "secret" }).map((one) => one.message);
  expect(messages.join()).not.toContain("secret");
});

test("accepted parameters match the published schema, and nothing is converted", () => {
  const params = { s: { type: "string", max: 3 }, i: { type: "int", min: 0 }, b: { type: "boolean" } } as const;
  expect(parametersSchema(contract({ ...params, s: { ...params.s, required: true, description: "S" } }))).toEqual({
    type: "object",
    properties: {
      s: { type: "string", description: "S", maxLength: 3 },
      i: { type: "integer", minimum: 0 },
      b: { type: "boolean" },
    },
    required: ["s"],
    additionalProperties: false,
  });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("s", "i", "b", "x"), fc.jsonValue()), (value) => {
      const before = JSON.stringify(value);
      const isGood = Object.entries(value).every(
        ([name, one]) =>
          (name === "s" &&
            typeof one === "string" &&
            Array.from(one).length <= 3 &&
            one.isWellFormed() &&
            !one.includes("\0")) ||
          (name === "i" && Number.isSafeInteger(one) && Number(one) >= 0) ||
          (name === "b" && typeof one === "boolean"),
      );
      expect(checkParameters(contract(params), value).length === 0).toBe(isGood);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
