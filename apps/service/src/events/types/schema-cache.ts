import { TooExpensiveError, WorkBudget } from "../../lib/lib.ts";
import { compileSchema, ENDLESS_SCHEMA } from "../data-schemas/data-schema.ts";
import type { DataSchema } from "../data-schemas/data-schema.ts";

/** The maximum size of the texts of all kept schemas, in UTF-16 units, and their number. The one that was not used for longest goes first. */
const MAX_UNITS = 8 * 1024 * 1024;
const MAX_SCHEMAS = 10_000;

interface Kept {
  readonly schema: DataSchema | null;
  readonly size: number;
}

export type SchemaCache = ReturnType<typeof createSchemaCache>;

/** Keeps compiled schemas by a key that never names another text. */
export function createSchemaCache() {
  const kept = new Map<string, Kept>();
  let units = 0;

  function makeRoom(size: number): void {
    for (const [key, { size: freed }] of kept) {
      if (units + size <= MAX_UNITS && kept.size < MAX_SCHEMAS) return;
      kept.delete(key);
      units -= freed;
    }
  }

  return {
    /** Returns undefined for a key that is not kept, and null for a version without a schema. */
    get(key: string): DataSchema | null | undefined {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.schema;
    },
    /** Compiles a text and keeps the result. `whole`: the budget for all schemas of a call, which a schema of another call may fit into. */
    keep(key: string, text: string | null, whole: WorkBudget): DataSchema | null {
      const schema = text === null ? null : compiled(text, whole);
      if (whole.isSpent) return schema;
      const size = text?.length ?? 0;
      makeRoom(size);
      // Two calls may have read the same version at once.
      units += size - (kept.get(key)?.size ?? 0);
      kept.set(key, { schema, size });
      return schema;
    },
  };
}

function compiled(text: string, whole: WorkBudget): DataSchema {
  try {
    return compileSchema(text, new WorkBudget(undefined, whole));
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return ENDLESS_SCHEMA;
  }
}
