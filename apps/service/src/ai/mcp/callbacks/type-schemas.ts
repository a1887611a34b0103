import { isRecord } from "../../../lib/lib.ts";
import type { DescribedType } from "../../../events/events.ts";

/** An argument that selects events by a value of their data. */
export interface DataArgument {
  readonly steps: readonly string[];
  readonly types: readonly ScalarType[];
  readonly description: string | undefined;
}

const SCALARS = ["string", "number", "integer", "boolean"] as const;
export type ScalarType = (typeof SCALARS)[number];

/** The arguments that every type of event has. */
const COMMON: Readonly<Record<string, object>> = {
  tenant: { type: "string", description: "Only events of this customer of the workspace." },
  subject: { type: "string", description: "Only events about this object." },
  filter: {
    type: "object",
    description:
      'Only events that meet this condition over event, data and tenant, such as {"field":"data.total","op":"gt","value":10}.',
  },
};
const MOST_STEPS = 3;
/** A name with a dot would be ambiguous in a path. */
const PLAIN = /^[\w-]{1,64}$/;

/** Returns the arguments for the data of a type, by the names that clients use: the path, after `data.` if another argument has the name. */
export function dataArguments({ schema }: Pick<DescribedType, "schema">): ReadonlyMap<string, DataArgument> {
  const named = new Map<string, DataArgument>();
  for (const argument of scalarsOf(schema, []).toSorted((a, b) => a.steps.length - b.steps.length)) {
    let name = argument.steps.join(".");
    while (named.has(name) || Object.hasOwn(COMMON, name)) name = `data.${name}`;
    named.set(name, argument);
  }
  return named;
}

function scalarsOf(schema: unknown, steps: readonly string[]): DataArgument[] {
  if (!isRecord(schema) || !isRecord(schema["properties"]) || steps.length === MOST_STEPS) return [];
  return Object.entries(schema["properties"]).flatMap(([name, member]) => {
    if (!PLAIN.test(name) || !isRecord(member)) return [];
    const path = [...steps, name];
    const { type, description } = member;
    const types = SCALARS.filter((one) => one === type || (Array.isArray(type) && type.includes(one)));
    if (types.length === 0) return scalarsOf(member, path);
    return [{ steps: path, types, description: typeof description === "string" ? description : undefined }];
  });
}

/** Returns the JSON Schema of the arguments of a type. */
export function inputSchemaOf(type: Pick<DescribedType, "schema">): object {
  const own = [...dataArguments(type)].map(([name, { types, description }]) => [
    name,
    { type: types.length === 1 ? types[0] : types, ...(description === undefined ? {} : { description }) },
  ]);
  return { type: "object", properties: { ...Object.fromEntries(own), ...COMMON }, additionalProperties: false };
}

/** The members of a schema that describe data and refuse none. */
const DESCRIBING = ["title", "description", "type", "examples"] as const;

/** Returns the JSON Schema of the data. Data of a type that is not enforced can lack members, or have other values. */
export function payloadSchemaOf({ schema, isEnforced }: Pick<DescribedType, "schema" | "isEnforced">): object {
  return isEnforced ? schema : { type: "object", ...relaxed(schema) };
}

function relaxed(schema: unknown): Record<string, unknown> {
  if (!isRecord(schema)) return {};
  const { properties, items } = schema;
  const kept = DESCRIBING.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]);
  return {
    ...Object.fromEntries(kept),
    ...(isRecord(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, relaxed(one)])) }
      : {}),
    ...(isRecord(items) ? { items: relaxed(items) } : {}),
  };
}
