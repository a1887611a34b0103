import { canonicalEventTypes, findEventType, systemEventTypes } from "../catalogue/catalogue.ts";
import { catalogueSchema } from "./catalogue-schema.ts";
import type { StoredType } from "./event-types.store.ts";

/** An event type in a form for documents about events. Its schema is JSON Schema 2020-12. */
export interface DescribedType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: number;
  readonly deprecated: boolean;
  readonly schema: object;
  readonly examples: readonly unknown[];
}

/** Returns the types that every workspace has. */
export function describedCatalogue(): DescribedType[] {
  return [...canonicalEventTypes, ...systemEventTypes].map((type) => ({
    name: type.name,
    title: type.title,
    description: type.description,
    version: 1,
    deprecated: false,
    schema: catalogueSchema(type),
    examples: [type.example],
  }));
}

/** Returns the types of a workspace: those of the catalogue, and its own ones after them. */
export function describedTypes(rows: readonly StoredType[]): DescribedType[] {
  const own = rows.filter(({ name }) => findEventType(name) === undefined);
  return [
    ...describedCatalogue(),
    ...own.map(({ name, title, description, version, deprecated_at: deprecatedAt, schema, examples }) => ({
      name,
      title,
      description,
      version,
      deprecated: deprecatedAt !== null,
      schema: JSON.parse(schema ?? '{"type":"object"}') as object,
      examples: JSON.parse(examples ?? "[]") as readonly unknown[],
    })),
  ];
}
