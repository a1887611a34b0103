/** The form of a value, as programming languages describe it. */
export type Shape =
  | { readonly kind: "any" | "null" | "boolean" | "integer" | "number" | "string" }
  | { readonly kind: "values"; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "union"; readonly of: readonly Shape[] };

export interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly required: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

const ANY: Shape = { kind: "any" };
/** Schemas that many others refer to would otherwise make the result very large. */
const MAX_SHAPES = 5000;

/** Returns the form of the data that a JSON Schema describes. Parts that no language can express become `any`. */
export function shapeOf(schema: unknown): Shape {
  let left = MAX_SHAPES;
  const one = (part: unknown): Shape => {
    left -= 1;
    return left < 0 || !isObject(part) ? ANY : ofSchema(part, schema, one);
  };
  return one(schema);
}

function ofSchema(schema: Schema, root: unknown, one: (part: unknown) => Shape): Shape {
  const { $ref, const: value, enum: values, anyOf, oneOf } = schema;
  if (typeof $ref === "string") return one(referred(root, $ref));
  const scalars = "const" in schema ? [value] : values;
  if (Array.isArray(scalars)) return scalars.every(isScalar) ? { kind: "values", values: scalars } : ANY;
  const options = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(options) && options.length > 0 && schema["type"] === undefined) return union(options.map(one));
  return ofTypes(schema, one);
}

function ofTypes(schema: Schema, one: (part: unknown) => Shape): Shape {
  const named = typesOf(schema);
  const types = schema["nullable"] === true ? [...named, "null"] : named;
  if (types.length === 0) return "properties" in schema ? objectOf(schema, one) : ANY;
  return union(types.map((type) => ofType(type, schema, one)));
}

function typesOf({ type }: Schema): readonly string[] {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.map(String) : [];
}

function ofType(type: string, schema: Schema, one: (part: unknown) => Shape): Shape {
  if (type === "object") return objectOf(schema, one);
  if (type === "array") return { kind: "list", item: one(schema["items"]) };
  return type === "null" || type === "boolean" || type === "integer" || type === "number" || type === "string"
    ? { kind: type }
    : ANY;
}

function objectOf({ properties, required }: Schema, one: (part: unknown) => Shape): Shape {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = isObject(properties) ? Object.entries(properties) : [];
  return {
    kind: "object",
    members: members.map(([name, part]) => ({ name, shape: one(part), required: names.includes(name) })),
  };
}

function union(shapes: readonly Shape[]): Shape {
  const [first] = shapes;
  if (shapes.length === 1 && first !== undefined) return first;
  return shapes.some(({ kind }) => kind === "any") ? ANY : { kind: "union", of: shapes };
}

function referred(root: unknown, reference: string): unknown {
  let value = root;
  for (const step of decodeURIComponent(reference.slice(2)).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Schema)[name];
  }
  return value;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
