/** A JSON Schema in the form of the routes, or of OpenAPI 3.0.3. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly nullable?: boolean;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-11-21T13:00:00.000Z",
  date: "2026-11-21",
  email: "ines.costa@example.com",
  uri: "https://example.com/",
};

/**
 * Returns a route's schema for OpenAPI 3.0.3, which has neither `const` nor `examples`. Each schema that has a name (`title`) moves
 * to `components`, if given, and a reference stays. One name stands for one schema.
 */
export function published(schema: Schema, components?: Map<string, Schema>): Schema {
  const { title, const: only, examples, ...rest } = schema;
  const entries = Object.entries(rest).map(
    ([name, value]) => [name, withParts(name, value, (part) => published(part, components))] as const,
  );
  const body: Schema = {
    ...Object.fromEntries(entries),
    ...(only === undefined ? {} : { enum: [only] }),
    ...(examples === undefined ? {} : { example: examples[0] }),
  };
  // A reference cannot have `nullable`, and a schema around it cannot widen it (OpenAPI 3.0.3). So a nullable schema is
  // written in place.
  if (title === undefined || body.nullable === true || components === undefined) return body;
  const known = components.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(body))
    throw new Error(`two schemas of the contract are named ${title}: give one of them another title`);
  components.set(title, body);
  return { $ref: `#/components/schemas/${title}` };
}

/** Changes the schemas that are the value of a member. */
function withParts(name: string, value: unknown, change: (part: Schema) => Schema): unknown {
  switch (name) {
    case "properties":
      return mapValues(value as Readonly<Record<string, Schema>>, change);
    case "anyOf":
    case "allOf":
      return (value as Schema[]).map(change);
    case "items":
    case "additionalProperties":
      return typeof value === "object" ? change(value as Schema) : value;
    default:
      return value;
  }
}

/**
 * Returns a value that the schema accepts: its own example if it has one; otherwise, a value built from its parts. A
 * schema only needs examples for what its parts cannot show.
 */
export function exampleOf(schema: Schema): unknown {
  const own = ["example", "default", "const"].find((name) => name in schema);
  if (own !== undefined && schema.examples === undefined) return schema[own];
  const [first] = schema.examples ?? schema.enum ?? [];
  if (first !== undefined) return first;
  const [choice] = schema.anyOf ?? [];
  return choice === undefined ? exampleOfType(schema) : exampleOf(choice);
}

function exampleOfType({ type, format, minimum, items, ...rest }: Schema): unknown {
  switch (type) {
    case "string":
      return BY_FORMAT[String(format)] ?? "text";
    case "integer":
    case "number":
      return minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return items === undefined ? [] : [exampleOf(items)];
    default:
      return exampleOfObject(rest);
  }
}

function exampleOfObject({ allOf = [], properties = {} }: Schema): object {
  return Object.assign({}, ...allOf.map(exampleOf), mapValues(properties, exampleOf)) as object;
}

function mapValues<Value>(record: Readonly<Record<string, Schema>>, change: (schema: Schema) => Value) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
