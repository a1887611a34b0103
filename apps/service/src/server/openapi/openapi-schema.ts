/** A JSON Schema in the form of the routes, or of OpenAPI 3.0.3. */
export type Schema = Readonly<Record<string, unknown>>;

/** Members whose value is a schema, a list of schemas, or named schemas. */
const NESTED = ["items", "additionalProperties", "not"];
const NESTED_LISTS = ["anyOf", "oneOf", "allOf"];
/** Members that 3.0.3 does not have, or that only validators need. */
const DROPPED = new Set(["$id", "$schema", "examples", "const", "propertyNames", "contentMediaType", "~kind"]);

/**
 * Translates a schema for 3.0.3: type lists and null become `nullable`, `const` becomes `enum`, exclusive bounds become
 * flags, and tuples become bounded arrays.
 */
export function downSchema(schema: Schema): Schema {
  const plain = withoutNull(withBounds(withValues(withoutTuple(schema))));
  const entries = Object.entries(plain).flatMap(([name, value]): [string, unknown][] => {
    if (DROPPED.has(name)) return [];
    if (NESTED.includes(name) && isSchema(value)) return [[name, downSchema(value)]];
    if (NESTED_LISTS.includes(name) && Array.isArray(value)) return [[name, value.map(downSchema)]];
    if (name === "properties" && isSchema(value)) return [[name, mapValues(value, downSchema)]];
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}

/**
 * Moves each schema that has a name (`title`) to the components and leaves a reference. One name stands for one schema.
 */
export function hoist(schema: Schema, components: Map<string, Schema>): Schema {
  const { title, ...rest } = schema;
  const entries = Object.entries(rest).map(([name, value]): [string, unknown] => {
    if (NESTED.includes(name) && isSchema(value)) return [name, hoist(value, components)];
    if (NESTED_LISTS.includes(name) && Array.isArray(value))
      return [name, value.map((inner: Schema) => hoist(inner, components))];
    if (name === "properties" && isSchema(value)) return [name, mapValues(value, (inner) => hoist(inner, components))];
    return [name, value];
  });
  const body: Schema = Object.fromEntries(entries);
  // A reference cannot have `nullable`, and a schema around it cannot widen it (OpenAPI 3.0.3). So a nullable schema is
  // written in place.
  if (typeof title !== "string" || body["nullable"] === true) return body;
  const known = components.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(body))
    throw new Error(`two schemas of the contract are named ${title}: give one of them another title`);
  components.set(title, body);
  return { $ref: `#/components/schemas/${title}` };
}

function withValues(schema: Schema): Schema {
  const example = Array.isArray(schema["examples"]) ? { example: schema["examples"][0] as unknown } : {};
  const only = "const" in schema ? { enum: [schema["const"]] } : {};
  return { ...schema, ...example, ...only };
}

function withBounds(schema: Schema): Schema {
  const above = schema["exclusiveMinimum"];
  const below = schema["exclusiveMaximum"];
  return {
    ...schema,
    ...(typeof above === "number" ? { minimum: above, exclusiveMinimum: true } : {}),
    ...(typeof below === "number" ? { maximum: below, exclusiveMaximum: true } : {}),
  };
}

function withoutTuple(schema: Schema): Schema {
  const items = schema["items"];
  if (!Array.isArray(items)) return schema;
  const { additionalItems: _none, ...rest } = schema;
  return { ...rest, items: { anyOf: items as unknown[] }, minItems: items.length, maxItems: items.length };
}

function withoutNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type)) return withoutNullType(schema, type as string[]);
  if (!Array.isArray(anyOf)) return schema;
  const choices = (anyOf as Schema[]).filter((choice) => choice["type"] !== "null");
  if (choices.length === anyOf.length) return schema;
  const { anyOf: _choices, ...rest } = schema;
  const [only] = choices;
  const single = only !== undefined && choices.length === 1;
  return single ? { ...only, ...rest, nullable: true } : { ...rest, anyOf: choices, nullable: true };
}

function withoutNullType(schema: Schema, types: readonly string[]): Schema {
  const { type: _types, ...rest } = schema;
  const [first, ...more] = types.filter((one) => one !== "null");
  const nullable = types.includes("null") ? { nullable: true } : {};
  return more.length === 0
    ? { ...rest, type: first, ...nullable }
    : { ...rest, anyOf: [first, ...more].map((type) => ({ type })), ...nullable };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapValues(record: Schema, change: (schema: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value as Schema)]));
}
