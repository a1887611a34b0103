import { compileSchema } from "../data-schemas/data-schema.ts";
import type { DataSchema } from "../data-schemas/data-schema.ts";

/** Keeps compiled schemas by a key that never names another text. */
export interface SchemaCache {
  /** Returns undefined for a key that is not kept, and null for a version without a schema. */
  get(key: string): DataSchema | null | undefined;
  /** Compiles a text and keeps the result. */
  keep(key: string, text: string | null): DataSchema | null;
}

/** The maximum size of the texts of all kept schemas, in UTF-16 units, and their number. A full cache is emptied. */
const MAX_UNITS = 8 * 1024 * 1024;
const MAX_SCHEMAS = 10_000;

export function createSchemaCache(): SchemaCache {
  const kept = new Map<string, DataSchema | null>();
  let units = 0;
  return {
    get: (key) => kept.get(key),
    keep(key, text) {
      const size = text?.length ?? 0;
      if (units + size > MAX_UNITS || kept.size >= MAX_SCHEMAS) {
        kept.clear();
        units = 0;
      }
      const schema = text === null ? null : compileSchema(text);
      kept.set(key, schema);
      units += size;
      return schema;
    },
  };
}
