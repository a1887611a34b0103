import { expect, test } from "vitest";
import { exampleOf, published } from "./openapi-schema.ts";
import type { Schema } from "./openapi-schema.ts";

test.each<[string, Schema, Schema]>([
  ["one value", { const: "a" }, { enum: ["a"] }],
  ["examples", { type: "string", examples: ["a", "b"] }, { type: "string", example: "a" }],
  [
    "schemas inside schemas, and properties that are named like keywords",
    { type: "object", properties: { const: { const: 1 }, examples: { type: "array", items: { const: 2 } } } },
    { type: "object", properties: { const: { enum: [1] }, examples: { type: "array", items: { enum: [2] } } } },
  ],
])("what OpenAPI 3.0.3 lacks is written its way: %s", (_what, schema, wanted) => {
  expect(published(schema)).toEqual(wanted);
});

test("a named schema moves to the components once, and null stays in place", () => {
  const components = new Map<string, Schema>();
  const named = { title: "Thing", type: "object", properties: {} };
  const schema = { type: "object", properties: { one: named, two: named, maybe: { ...named, nullable: true } } };
  expect(published(schema, components)).toEqual({
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
  published({ title: "Thing", type: "string" }, components);
  expect(() => published({ title: "Thing", type: "integer" }, components)).toThrow("named Thing");
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
