import { expect, test } from "vitest";
import { exampleOf } from "./openapi-example.ts";
import { downSchema, hoist } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";

test.each<[string, Schema, Schema]>([
  ["one value", { const: "a" }, { enum: ["a"] }],
  ["a type or null", { type: ["string", "null"] }, { type: "string", nullable: true }],
  ["two types", { type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
  ["a schema or null", { anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
  [
    "a choice with null",
    { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
    { anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
  ],
  [
    "exclusive bounds",
    { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  ],
  [
    "a tuple",
    { type: "array", items: [{ type: "string" }, { type: "integer" }], additionalItems: false },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] }, minItems: 2, maxItems: 2 },
  ],
  ["examples", { type: "string", examples: ["a", "b"] }, { type: "string", example: "a" }],
  ["names that only validators need", { $id: "x", type: "string" }, { type: "string" }],
  [
    "schemas inside schemas, and properties that are named like keywords",
    { type: "object", properties: { const: { const: 1 }, examples: { type: ["string", "null"] } } },
    { type: "object", properties: { const: { enum: [1] }, examples: { type: "string", nullable: true } } },
  ],
])("what OpenAPI 3.0.3 lacks is written its way: %s", (_what, schema, wanted) => {
  expect(downSchema(schema)).toEqual(wanted);
});

test("a named schema moves to the components once, and null stays in place", () => {
  const components = new Map<string, Schema>();
  const named = { title: "Thing", type: "object", properties: {} };
  const schema = { type: "object", properties: { one: named, two: named, maybe: { ...named, nullable: true } } };
  expect(hoist(schema, components)).toEqual({
    type: "object",
    properties: {
      one: { $ref: "#/components/schemas/Thing" },
      two: { $ref: "#/components/schemas/Thing" },
      maybe: { type: "object", properties: {}, nullable: true },
    },
  });
  expect([...components]).toEqual([["Thing", { type: "object", properties: {} }]]);
});

test("two schemas with one name are an error", () => {
  const components = new Map<string, Schema>();
  hoist({ title: "Thing", type: "string" }, components);
  expect(() => hoist({ title: "Thing", type: "integer" }, components)).toThrow("named Thing");
});

test("an example is built from a schema's parts if it has none", () => {
  const schema = {
    type: "object",
    properties: {
      own: { type: "string", example: "mine" },
      values: { type: "string", enum: ["first", "second"] },
      usual: { type: "integer", default: 16, minimum: 1 },
      least: { type: "integer", minimum: 3 },
      time: { type: "string", format: "date-time" },
      list: { type: "array", items: { type: "boolean" } },
      either: { anyOf: [{ type: "string", format: "email" }, { type: "integer" }] },
      both: { allOf: [{ type: "object", properties: { a: { type: "boolean" } } }] },
    },
  };
  expect(exampleOf(schema)).toEqual({
    own: "mine",
    values: "first",
    usual: 16,
    least: 3,
    time: "2026-11-21T13:00:00.000Z",
    list: [true],
    either: "ines.costa@example.com",
    both: { a: true },
  });
});
