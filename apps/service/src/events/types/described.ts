import { eventTypes, findEventType } from "../catalogue/catalogue.ts";
import { catalogueSchema } from "./catalogue-schema.ts";
import type { StoredType } from "./event-types.store.ts";
import { parseJson } from "../../lib/lib.ts";

/** An event type in a form for documents about events. Its schema is JSON Schema 2020-12. */
export interface DescribedType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: number;
  readonly deprecated: boolean;
  /** True if data that does not fit the schema is refused. */
  readonly isEnforced: boolean;
  readonly schema: object;
  readonly examples: readonly unknown[];
}

/** Returns the types that every workspace has. */
export function describedCatalogue(): DescribedType[] {
  return eventTypes.map((type) => ({
    name: type.name,
    title: type.title,
    description: type.description,
    version: 1,
    deprecated: false,
    isEnforced: false,
    schema: catalogueSchema(type),
    examples: [type.example],
  }));
}

/** The types of a workspace, for documents about them. */
export interface DescribedTypes {
  /** A text that is the same exactly for the same types. */
  readonly state: string;
  /** Returns the types of the catalogue, and the workspace's own ones after them. Each schema is parsed when its type is taken. */
  read(): Promise<Iterable<DescribedType>>;
}

export function* describedTypes(rows: readonly StoredType[]): Generator<DescribedType> {
  const enforced = new Set(rows.filter(({ enforcement }) => enforcement === "refuse").map(({ name }) => name));
  for (const type of describedCatalogue()) yield { ...type, isEnforced: enforced.has(type.name) };
  for (const { name, title, description, version, deprecated_at: deprecatedAt, schema, examples } of rows) {
    if (findEventType(name) !== undefined) continue;
    yield {
      name,
      title,
      description,
      version,
      deprecated: deprecatedAt !== null,
      isEnforced: enforced.has(name),
      schema: parseJson(schema ?? '{"type":"object"}') as object,
      examples: parseJson(examples ?? "[]") as readonly unknown[],
    };
  }
}
