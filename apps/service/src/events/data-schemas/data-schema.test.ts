import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../lib/lib.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { CALL_BUDGET, compileSchema, incompatibilities, readValue, schemaFaults } from "./data-schema.ts";

function violations(schema: object | string, data: string, left = CALL_BUDGET) {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  expect(schemaFaults(readValue(text))).toEqual([]);
  return compileSchema(text).violations(data, new WorkBudget(left));
}

function faults(schema: unknown) {
  return schemaFaults(readValue(typeof schema === "string" ? schema : JSON.stringify(schema)));
}

function differences(from: object, to: object) {
  return incompatibilities(from, to).map(({ pointer, code }) => `${code} ${pointer}`);
}

const scalars = fc.constantFrom<unknown>(null, true, 0, 1, 2, 1.5, -3, "", "a", "ab", "abc", "€");
const data = fc.object({
  maxDepth: 3,
  maxKeys: 4,
  key: fc.constantFrom("a", "b", "c", "__proto__"),
  values: [scalars],
});
const { schema: anySchema } = fc.letrec<{ schema: object | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom("null", "boolean", "object", "array", "number", "integer", "string", ["string", "null"]),
        enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 4 }),
        const: scalars,
        minimum: fc.integer({ min: -2, max: 2 }),
        exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
        multipleOf: fc.constantFrom(1, 2, 0.5),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        pattern: fc.constantFrom("^a", "b$", "^[a-c]+$"),
        minItems: fc.nat(2),
        uniqueItems: fc.boolean(),
        maxProperties: fc.nat(3),
        required: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
        dependentRequired: fc.constant({ a: ["b"] }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema"), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), tie("schema"), { maxKeys: 2 }),
        additionalProperties: tie("schema"),
        propertyNames: tie("schema"),
        items: tie("schema"),
        prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        contains: tie("schema"),
        // Without it, Ajv 8 uses the result of the list before for an empty list in a loop: [[1],[]] passes
        // {items: {contains: {const: 1}}}.
        maxContains: fc.constant(100),
        allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        not: tie("schema"),
        if: tie("schema"),
        ["then"]: tie("schema"),
        else: tie("schema"),
        dependentSchemas: fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 1 }),
      },
      { requiredKeys: ["maxContains"] },
    ),
  ) as fc.Arbitrary<object | boolean>,
}));

describe("checks of data", () => {
  test("the checks agree with those of Ajv", () => {
    fc.assert(
      fc.property(anySchema, data, (part, value) => {
        const schema = { properties: { a: part, b: part }, additionalProperties: part };
        const text = JSON.stringify(value);
        const isValid = new Ajv2020({ strict: false }).validate(structuredClone(schema), JSON.parse(text));
        expect([violations(schema, text).length === 0, schema, text]).toEqual([isValid, schema, text]);
      }),
      { numRuns: 80 },
    );
  });

  test("every violation is reported with its pointer and without the value", () => {
    const schema = {
      type: "object",
      required: ["id", "lines"],
      properties: {
        id: { type: "string", pattern: "^ord_[0-9]+$" },
        "a/b~": { const: 1 },
        lines: { type: "array", items: { type: "object", required: ["sku"], properties: { sku: { minLength: 2 } } } },
      },
      additionalProperties: false,
    };
    const found = violations(schema, '{"id":"hunter2","a/b~":2,"lines":[{"sku":"xx"},{"sku":"s3"},{},7],"more":1}');
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      "/id pattern",
      "/a~1b~0 const",
      "/lines/2/sku required",
      "/lines/3 type",
      "/more additionalProperties",
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  test("numbers are compared by their exact values", () => {
    const schema = '{"properties":{"n":{"type":"integer","maximum":9007199254740992},"m":{"multipleOf":0.01}}}';
    expect(violations(schema, '{"n":9007199254740992}')).toEqual([]);
    expect(violations(schema, '{"n":9007199254740993}')).toHaveLength(1);
    expect(violations(schema, '{"n":-1e400}')).toEqual([]);
    expect(violations(schema, '{"n":1.00000000000000000001}')).toHaveLength(1);
    expect(violations(schema, '{"m":19.99}')).toEqual([]);
    expect(violations(schema, '{"m":19.999}')).toHaveLength(1);
    expect(violations('{"properties":{"n":{"const":1.0}}}', '{"n":1.0000000000000000000}')).toEqual([]);
  });

  test("a violation repeats no more than a part of a long limit", () => {
    const limit = "9".repeat(60_000);
    const schema = `{"properties":{"n":{"maximum":${limit}},"m":{"multipleOf":${limit}},"o":{"enum":[${limit}]}}}`;
    const found = violations(schema, `{"n":${limit}9,"m":1,"o":1}`);
    expect(found.map(({ code }) => code)).toEqual(["maximum", "multipleOf", "enum"]);
    expect(JSON.stringify(found).length).toBeLessThan(1500);
  });

  test("a member named __proto__ is checked like any other", () => {
    const schema = '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}';
    expect(violations(schema, '{"__proto__":"x"}')).toEqual([]);
    expect(violations(schema, '{"__proto__":{}}')).toHaveLength(1);
    expect(violations(schema, "{}")).toHaveLength(1);
    expect(violations({ required: ["constructor"] }, "{}")).toHaveLength(1);
    expect(violations({ properties: { toString: false } }, "{}")).toEqual([]);
  });

  test.each([
    ["date", "2026-02-28", "2026-02-30"],
    ["date-time", "2026-02-28T10:00:00Z", "2026-02-28 10:00"],
    ["time", "10:00:00Z", "25:00:00Z"],
    ["email", "ada@example.com", "ada"],
    ["uri", "https://example.com/a", "/a"],
    ["uuid", "019a3f1e-1111-7222-8333-944445555666", "019a3f1e"],
    ["ipv4", "10.0.0.1", "10.0.0.256"],
    ["ipv6", "::1", "1"],
  ])("the format %s accepts %s and not %s", (format, good, bad) => {
    const schema = { properties: { a: { format } } };
    expect(violations(schema, JSON.stringify({ a: good }))).toEqual([]);
    expect(violations(schema, JSON.stringify({ a: bad }))).toHaveLength(1);
  });

  test("a check that would take too long ends as a violation", () => {
    const half = (at: number): object => ({ $ref: `#/$defs/d${at}` });
    const $defs = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`d${at}`, at === 0 ? {} : { allOf: [half(at - 1), half(at - 1)] }]),
    );
    const doubling = { ...half(13), $defs };
    const began = processorMs();
    expect(violations(doubling, "{}", 1000)).toMatchObject([{ code: "too_expensive" }]);
    expect(violations(doubling, "{}")).toEqual([]);
    expect(processorMs() - began).toBeLessThan(3000);
  });

  test("a catastrophic pattern is matched in linear time", () => {
    const began = processorMs();
    const found = violations(
      { properties: { a: { pattern: "^(a+)+$" } } },
      JSON.stringify({ a: `${"a".repeat(2e5)}!` }),
    );
    expect(found).toMatchObject([{ code: "pattern" }]);
    expect(processorMs() - began).toBeLessThan(1000);
  });
});

describe("faults of schemas", () => {
  test.each<[unknown, string]>([
    [[], "type "],
    [{ type: "text" }, "type /type"],
    [{ type: "string" }, "type /type"],
    [{ properties: { a: { nullable: true } } }, "keyword /properties/a/nullable"],
    [{ propertys: {} }, "keyword /propertys"],
    [{ $id: "https://example.com/a" }, "keyword /$id"],
    [{ properties: { a: { $ref: "https://example.com/a" } } }, "reference /properties/a/$ref"],
    [{ properties: { a: { $ref: "#/$defs/none" } } }, "reference /properties/a/$ref"],
    [{ properties: { a: { $ref: "#" } } }, "cycle /properties/a/$ref"],
    [{ $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } }, "cycle /$defs/a/$ref/not/$ref"],
    [{ properties: { a: { pattern: "^(?=a)" } } }, "pattern /properties/a/pattern"],
    [{ properties: { a: { pattern: "(a{1,100}){1,10}" } } }, "pattern /properties/a/pattern"],
    [{ patternProperties: { "(": true } }, "pattern /patternProperties/("],
    [{ properties: { a: { format: "phone" } } }, "type /properties/a/format"],
    [{ properties: { a: { maxLength: -1 } } }, "type /properties/a/maxLength"],
    [{ properties: { a: { multipleOf: 0 } } }, "type /properties/a/multipleOf"],
    [{ required: ["a", "a"] }, "type /required"],
    [{ properties: [] }, "type /properties"],
    [{ properties: { a: 1 } }, "type /properties/a"],
    [{ allOf: [] }, "type /allOf"],
  ])("%j is refused", (schema, expected) => {
    expect(faults(schema).map(({ pointer, code }) => `${code} ${pointer}`)).toEqual([expected]);
  });

  test("a schema that is too deep is refused, by nesting or by references", () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { not: nested(levels - 1) });
    expect(faults(nested(32))).toEqual([]);
    expect(faults(nested(33)).map(({ code }) => code)).toEqual(["depth"]);
    const chain = (length: number): object =>
      Object.fromEntries(Array.from({ length }, (_, at) => [`d${at}`, at === 0 ? {} : { $ref: `#/$defs/d${at - 1}` }]));
    expect(faults({ $defs: chain(31) })).toEqual([]);
    expect(faults({ $defs: chain(40) }).map(({ code }) => code)).toEqual(["depth"]);
  });

  test("names of one's own that begin with x- are allowed", () => {
    expect(faults({ "x-owner": "billing", properties: { a: { "x-pii": true } } })).toEqual([]);
  });
});

describe("compatibility", () => {
  const order = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string", maxLength: 10 }, state: { enum: ["open", "paid"] } },
  };

  test("optional members, looser limits, more values and annotations are compatible", () => {
    const to = {
      ...order,
      title: "Order",
      properties: {
        id: { type: "string", maxLength: 20, description: "Yours" },
        state: { enum: ["paid", "open", "void"] },
        note: { type: "string" },
      },
    };
    expect(differences(order, to)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["a new required member", { ...order, required: ["id", "state"] }, "narrowed /required"],
    ["a member that is no longer required", { ...order, required: [] }, "promise_dropped /required"],
    ["a removed member", { ...order, properties: { id: order.properties.id } }, "promise_dropped /properties/state"],
    [
      "another type",
      { ...order, properties: { ...order.properties, id: { type: ["string", "null"], maxLength: 10 } } },
      "promise_dropped /properties/id/type",
    ],
    [
      "a shorter text",
      { ...order, properties: { ...order.properties, id: { type: "string", maxLength: 9 } } },
      "narrowed /properties/id/maxLength",
    ],
    [
      "fewer values",
      { ...order, properties: { ...order.properties, state: { enum: ["open"] } } },
      "narrowed /properties/state/enum",
    ],
    ["closed members", { ...order, additionalProperties: false }, "narrowed /additionalProperties"],
    ["a new condition", { ...order, not: { required: ["x"] } }, "narrowed /not"],
  ])("%s needs a new version", (_what, to, expected) => {
    expect(differences(order, to)).toEqual([expected]);
  });

  test("references are followed on both sides", () => {
    const from = { properties: { a: { $ref: "#/$defs/m" } }, $defs: { m: { type: "integer" } } };
    expect(differences(from, { properties: { a: { type: "integer" } } })).toEqual([]);
    expect(differences(from, { ...from, $defs: { m: { type: "integer", minimum: 0 } } })).toEqual([
      "narrowed /properties/a/minimum",
    ]);
    const any = { anyOf: [{ $ref: "#/$defs/m" }], $defs: { m: { type: "object" } } };
    expect(differences(any, { ...any, $defs: { m: { type: "object", minProperties: 1 } } })).toEqual([
      "narrowed /anyOf",
    ]);
  });

  test("data that was valid stays valid after a compatible change", () => {
    fc.assert(
      fc.property(anySchema, anySchema, data, (a, b, value) => {
        const [from, to] = [{ properties: { a } }, { properties: { a: b } }];
        if (incompatibilities(from, to).length > 0) return;
        const text = JSON.stringify(value);
        if (violations(from, text).length > 0) return;
        // A member that was not described before may be described now.
        const added = Object.keys((b as { properties?: object }).properties ?? {});
        if (added.length > 0) return;
        expect([from, to, text, violations(to, text)]).toEqual([from, to, text, []]);
      }),
      { numRuns: 150 },
    );
  });
});
