import type { Direction, Field, NamedEnum, NamedType, Type } from "./model.ts";
import { componentName } from "./openapi.ts";
import type { Schema } from "./openapi.ts";

/** Collects the types that are found while operations are read. */
export interface Types {
  /**
   * Returns the type of a schema, and collects the types that it uses. `owner` names an object or enum that has no name
   * of its own.
   */
  read(schema: Schema, owner: Owner, way: keyof Direction): Type;
  /** Returns the fields of an object's schema, or of the schema to which it refers. */
  fields(schema: Schema, owner: string, way: keyof Direction): readonly Field[];
  /** Returns all that was found. It is called once, at the end, because only then can equal enums share a name. */
  finish(): { readonly types: readonly NamedType[]; readonly enums: readonly NamedEnum[]; rename(type: Type): Type };
}

export interface Owner {
  readonly type: string;
  /** The property; "" for the schema itself. */
  readonly property: string;
}

interface MutableType {
  readonly name: string;
  readonly description: string;
  readonly open: boolean;
  fields: readonly Field[];
  request: boolean;
  response: boolean;
}

interface FoundEnum {
  readonly owner: Owner;
  readonly values: readonly string[];
  request: boolean;
  response: boolean;
}

interface Found {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly types: Map<string, MutableType>;
  /** The enums by provisional name. */
  readonly enums: Map<string, FoundEnum>;
}

/**
 * Enums that belong to no single type, because nearly all types have them. Other enums are named after one of their
 * types.
 */
const SHARED: Readonly<Record<string, string>> = { environment: "Environment" };

export function createTypes(schemas: Readonly<Record<string, Schema>>): Types {
  const found: Found = { schemas, types: new Map(), enums: new Map() };
  return {
    read: (schema, owner, way) => read(found, schema, owner, way),
    fields: (schema, owner, way) => fieldsOf(found, schema, owner, way),
    finish() {
      const { enums, names } = shareEnums(found);
      const rename = (type: Type): Type => renamed(type, names);
      const types = [...found.types.values()].map((type) => ({
        ...type,
        fields: type.fields.map((field) => ({ ...field, type: rename(field.type) })),
      }));
      return { types: types.toSorted(byName), enums: enums.toSorted(byName), rename };
    },
  };
}

/** Returns `WebhookEndpointsSecret` for `webhook_endpoints.secret`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function read(found: Found, schema: Schema, owner: Owner, way: keyof Direction): Type {
  const type = readPresent(found, schema, owner, way);
  const nullable = schema.nullable === true || schema.enum?.includes(null) === true;
  return nullable && type.kind !== "unknown" ? { kind: "nullable", of: type } : type;
}

function readPresent(found: Found, schema: Schema, owner: Owner, way: keyof Direction): Type {
  if (schema.$ref !== undefined) return readComponent(found, componentName(schema.$ref), way);
  const alone = onlyPart(schema);
  if (alone !== undefined) return read(found, alone, owner, way);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) {
    const owners = (index: number): Owner => ({ type: nameOf(owner), property: String(index + 1) });
    return unionOf(choices.map((choice, index) => read(found, choice, owners(index), way)));
  }
  if (schema.enum !== undefined) return readEnum(found, { schema, owner, way });
  const isObject = schema.properties !== undefined || schema.allOf !== undefined;
  return isObject ? readObject(found, freeName(found, owner), schema, way) : readPlain(found, schema, owner, way);
}

/** Returns the schema of an `allOf` with one part, which 3.0 needs for members next to a `$ref`. */
function onlyPart({ allOf, properties }: Schema): Schema | undefined {
  return allOf?.length === 1 && properties === undefined ? allOf[0] : undefined;
}

function readPlain(found: Found, schema: Schema, owner: Owner, way: keyof Direction): Type {
  const { type } = schema;
  if (type === "string") return { kind: "string", format: schema.format ?? null };
  if (type === "integer" || type === "number" || type === "boolean") return { kind: type };
  if (type === "array") {
    const item = { ...owner, property: singular(owner.property) };
    return { kind: "array", items: read(found, schema.items ?? {}, item, way) };
  }
  return type === "object" ? readMap(found, schema, owner, way) : { kind: "unknown" };
}

function readMap(found: Found, { additionalProperties }: Schema, owner: Owner, way: keyof Direction): Type {
  if (typeof additionalProperties !== "object") return { kind: "map", values: { kind: "unknown" } };
  const value = { ...owner, property: `${owner.property}_value` };
  return { kind: "map", values: read(found, additionalProperties, value, way) };
}

/**
 * Returns the type of a component. An object keeps its name; any other component becomes the type that it stands for.
 */
function readComponent(found: Found, name: string, way: keyof Direction): Type {
  const schema = found.schemas[name];
  if (schema === undefined) throw new Error(`The document refers to ${name}, which it does not have.`);
  return read(found, schema, { type: name, property: "" }, way);
}

function readObject(found: Found, name: string, schema: Schema, way: keyof Direction): Type {
  const known = found.types.get(name);
  if (known?.[way] !== true) {
    const type: MutableType = known ?? {
      name,
      description: schema.description ?? "",
      open: schema.additionalProperties !== false,
      fields: [],
      request: false,
      response: false,
    };
    // The type is registered before its fields are read, because it may contain itself.
    type[way] = true;
    found.types.set(name, type);
    type.fields = fieldsOf(found, schema, name, way);
  }
  return { kind: "ref", name };
}

function fieldsOf(found: Found, schema: Schema, owner: string, way: keyof Direction): readonly Field[] {
  if (schema.$ref !== undefined) {
    const name = componentName(schema.$ref);
    return fieldsOf(found, found.schemas[name] ?? {}, name, way);
  }
  const inherited = (schema.allOf ?? []).flatMap((part) => fieldsOf(found, part, owner, way));
  const own = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    description: property.description ?? "",
    type: read(found, property, { type: owner, property: name }, way),
    required: schema.required?.includes(name) === true,
    ...(property["x-was-required"] === true && { wasRequired: true }),
    ...(isSecret(property) && { secret: true }),
    ...(property.default === undefined ? {} : { default: property.default }),
  }));
  return [...new Map([...inherited, ...own].map((field) => [field.name, field])).values()];
}

function isSecret({ additionalProperties, ...schema }: Schema): boolean {
  return schema["x-secret"] === true || (typeof additionalProperties === "object" && isSecret(additionalProperties));
}

interface EnumToRead {
  readonly schema: Schema;
  readonly owner: Owner;
  readonly way: keyof Direction;
}

function readEnum(found: Found, { schema, owner, way }: EnumToRead): Type {
  const values = (schema.enum ?? []).filter((value) => value !== null);
  const [only] = values;
  if (values.length === 1 && only !== undefined) return { kind: "constant", value: only };
  const texts = values.filter((value) => typeof value === "string");
  // Numbers and booleans have no names; their type is enough.
  if (texts.length !== values.length || texts.length === 0) return readPlain(found, schema, owner, way);
  const name = enumName(found, owner, texts);
  const known = found.enums.get(name);
  const entry = known ?? { owner, values: texts, request: false, response: false };
  entry[way] = true;
  found.enums.set(name, entry);
  return { kind: "enum", name };
}

/** The items of `algorithms` must not get the name, and so the values, of `algorithm` next to it. */
function enumName(found: Found, owner: Owner, texts: readonly string[]): string {
  const name = freeName(found, owner);
  const known = found.enums.get(name)?.values;
  return known === undefined || known.join() === texts.join() ? name : `${name}Item`;
}

/**
 * Merges enums with the same property and values. The result has the name of the type with the shortest name, unless
 * the name is shared.
 */
function shareEnums(found: Found): { enums: NamedEnum[]; names: Map<string, string> } {
  const groups = Map.groupBy(found.enums, ([, one]) => `${one.owner.property}:${one.values.join()}`);
  const names = new Map<string, string>();
  const taken = new Map<string, NamedEnum>();
  for (const group of groups.values()) {
    const shortest = group.map(([name]) => name).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? "";
    const [, first] = group[0] ?? [];
    if (first === undefined) continue;
    const bare = SHARED[first.owner.property];
    const isFree = bare !== undefined && !taken.has(bare) && !(bare in found.schemas);
    const shared = isFree ? bare : shortest;
    for (const [name] of group) names.set(name, shared);
    taken.set(shared, {
      name: shared,
      values: first.values,
      request: group.some(([, one]) => one.request),
      response: group.some(([, one]) => one.response),
    });
  }
  return { enums: [...taken.values()], names };
}

function renamed(type: Type, names: ReadonlyMap<string, string>): Type {
  switch (type.kind) {
    case "enum":
      return { kind: "enum", name: names.get(type.name) ?? type.name };
    case "array":
      return { kind: "array", items: renamed(type.items, names) };
    case "map":
      return { kind: "map", values: renamed(type.values, names) };
    case "nullable":
      return { kind: "nullable", of: renamed(type.of, names) };
    case "union":
      return { kind: "union", of: type.of.map((one) => renamed(one, names)) };
    default:
      return type;
  }
}

/** Returns one type if all are equal. */
export function unionOf(types: readonly Type[]): Type {
  const unique = [...new Map(types.map(withoutNull).map((type) => [JSON.stringify(type), type])).values()];
  const [only] = unique;
  const union: Type = unique.length === 1 && only !== undefined ? only : { kind: "union", of: unique };
  // A choice that can be null makes the whole union nullable.
  return types.some(({ kind }) => kind === "nullable") ? { kind: "nullable", of: union } : union;
}

export function withoutNull(type: Type): Type {
  return type.kind === "nullable" ? withoutNull(type.of) : type;
}

/** A component keeps its own name. A nested type gets another name if they collide. */
function freeName(found: Found, owner: Owner): string {
  const name = nameOf(owner);
  return owner.property !== "" && name in found.schemas ? `${name}Value` : name;
}

function nameOf({ type, property }: Owner): string {
  return `${type}${pascal(property)}`;
}

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /[^s]s$/.test(word) ? word.slice(0, -1) : `${word}_item`;
}
