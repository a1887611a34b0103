import type { Schema } from "./openapi-schema.ts";

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-11-21T13:00:00.000Z",
  date: "2026-11-21",
  email: "ines.costa@example.com",
  uri: "https://example.com/",
};

/**
 * Returns a value that the schema accepts: its own example if it has one; otherwise, a value built from its parts. A
 * schema only needs examples for what its parts cannot show.
 */
export function exampleOf(schema: Schema): unknown {
  if ("example" in schema) return schema["example"];
  if ("default" in schema) return schema["default"];
  if (Array.isArray(schema["enum"])) return (schema["enum"] as unknown[])[0];
  const choice = firstOf(schema["oneOf"]) ?? firstOf(schema["anyOf"]);
  if (choice !== undefined) return exampleOf(choice);
  return byType(schema);
}

function byType(schema: Schema): unknown {
  switch (schema["type"]) {
    case "string":
      return BY_FORMAT[String(schema["format"])] ?? "text";
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return true;
    case "array":
      return schema["items"] === undefined ? [] : [exampleOf(schema["items"] as Schema)];
    default:
      return exampleOfObject(schema);
  }
}

function exampleOfObject(schema: Schema): Record<string, unknown> {
  const parts = Array.isArray(schema["allOf"]) ? (schema["allOf"] as Schema[]) : [];
  const own = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  return Object.assign(
    {},
    ...parts.map((part) => exampleOf(part)),
    Object.fromEntries(own.map(([name, property]) => [name, exampleOf(property)])),
  ) as Record<string, unknown>;
}

function firstOf(choices: unknown): Schema | undefined {
  return Array.isArray(choices) ? (choices as Schema[])[0] : undefined;
}
