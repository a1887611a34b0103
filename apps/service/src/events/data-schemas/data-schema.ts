import { TooExpensiveError } from "../../lib/lib.ts";
import type { Violation, WorkBudget } from "../../lib/lib.ts";
import { compile } from "./compile.ts";
import { readValue } from "./data-value.ts";
import { Run } from "./run.ts";

export { readValue } from "./data-value.ts";
export { MAX_SCHEMA_BYTES, schemaFaults } from "./definition.ts";
export { incompatibilities } from "./compatibility.ts";

/** A compiled schema of event data. */
export interface DataSchema {
  /**
   * Returns the violations of JSON text, with pointers into it; at most 100. Numbers are compared by their exact values.
   * A check that exhausts the budget has one violation, `too_expensive`.
   */
  violations(data: string, budget: WorkBudget): Violation[];
}

/** The budget of the checks of one call: about half a second. A typical event spends fewer than 200 units. */
export const CALL_BUDGET = 5_000_000;

/** Compiles the JSON text of a schema that has no faults. */
export function compileSchema(text: string): DataSchema {
  const check = compile(readValue(text));
  return {
    violations(data, budget) {
      const run = new Run(budget);
      try {
        check(readValue(data), undefined, run);
        return run.violations;
      } catch (error) {
        if (!(error instanceof TooExpensiveError)) throw error;
        const message = "takes too long to check against the schema: simplify the schema or send less data";
        return [{ pointer: "", code: "too_expensive", message }];
      }
    },
  };
}
