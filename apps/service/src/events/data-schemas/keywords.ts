/** The keywords of JSON Schema 2020-12 that schemas of events can have. Others are refused, because they would have no effect. */
const FORMS = {
  $ref: "reference",
  $defs: "schemas by name",
  $schema: "text",
  $comment: "text",
  type: "types",
  enum: "values",
  const: "any",
  multipleOf: "positive",
  maximum: "number",
  exclusiveMaximum: "number",
  minimum: "number",
  exclusiveMinimum: "number",
  maxLength: "natural",
  minLength: "natural",
  pattern: "pattern",
  format: "format",
  maxItems: "natural",
  minItems: "natural",
  uniqueItems: "boolean",
  maxContains: "natural",
  minContains: "natural",
  maxProperties: "natural",
  minProperties: "natural",
  required: "texts",
  dependentRequired: "texts by name",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  not: "schema",
  if: "schema",
  // JSON Schema gives the keyword its name.
  ["then"]: "schema",
  else: "schema",
  dependentSchemas: "schemas by name",
  prefixItems: "schemas",
  items: "schema",
  contains: "schema",
  properties: "schemas by name",
  patternProperties: "schemas by pattern",
  additionalProperties: "schema",
  propertyNames: "schema",
  title: "text",
  description: "text",
  default: "any",
  examples: "any",
  deprecated: "boolean",
  readOnly: "boolean",
  writeOnly: "boolean",
  contentEncoding: "text",
  contentMediaType: "text",
} as const;

/** The form of a keyword's value. */
export type KeywordForm = (typeof FORMS)[keyof typeof FORMS];

export const keywords: ReadonlyMap<string, KeywordForm> = new Map(Object.entries(FORMS));

/** Keywords that say nothing about which data is valid. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$defs",
  "$schema",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
]);

export const TYPES: readonly string[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

export function isAnnotation(name: string): boolean {
  return ANNOTATIONS.has(name) || name.startsWith("x-");
}

/** A subschema, and the steps that lead to it. */
export interface Subschema {
  readonly steps: readonly (string | number)[];
  readonly schema: unknown;
}

/** Returns the subschemas directly below a keyword. The form of its value must be correct. */
export function subschemasOf(name: string, value: unknown): Subschema[] {
  const form = keywords.get(name);
  if (form === "schema") return [{ steps: [name], schema: value }];
  if (form === "schemas" && Array.isArray(value))
    return value.map((schema: unknown, at) => ({ steps: [name, at], schema }));
  if (form === "schemas by name" || form === "schemas by pattern")
    return Object.entries(value as object).map(([key, schema]: [string, unknown]) => ({ steps: [name, key], schema }));
  return [];
}
