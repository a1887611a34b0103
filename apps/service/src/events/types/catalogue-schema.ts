import type { EventType, JsonSchema } from "../catalogue/event-type.ts";

/** Returns the schema of a type of the catalogue as JSON Schema 2020-12. The catalogue itself uses the dialect of OpenAPI 3.0.3. */
export function catalogueSchema(type: EventType): object {
  return standard(type.schema);
}

function standard({ nullable, items, properties, ...rest }: JsonSchema): object {
  const isNullable = nullable === true;
  return {
    ...rest,
    ...(isNullable ? { type: [rest.type, "null"] } : {}),
    ...(isNullable && rest.enum !== undefined ? { enum: [...rest.enum, null] } : {}),
    ...(items === undefined ? {} : { items: standard(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, standard(one)])) }),
  };
}
