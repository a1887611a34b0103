import { TooExpensiveError, WorkBudget } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { compile } from "./compile.ts";
import { readValue } from "./data-value.ts";
import { Run } from "./run.ts";
import type { Check } from "./run.ts";

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

const TOO_EXPENSIVE: Violation = {
  pointer: "",
  code: "too_expensive",
  message: "takes too long to check against the schema: simplify the schema or send less data",
};

/**
 * The budget of the checks of one call, in units. A typical event spends about two hundred of them, so that the largest batch
 * needs a quarter. One event has no more than `WorkBudget` gives by default.
 */
export const CALL_BUDGET = 400_000;

/** Compiles the JSON text of a schema that has no faults. Throws `TooExpensiveError`. */
export function compileSchema(text: string, budget: WorkBudget = new WorkBudget()): DataSchema {
  const check = compile(readValue(text, budget), budget);
  return { violations: (data, left) => violationsOf(check, data, left) };
}

/** A schema that took too long to compile: so would any check against it. */
export const ENDLESS_SCHEMA: DataSchema = { violations: () => [TOO_EXPENSIVE] };

function violationsOf(check: Check, data: string, budget: WorkBudget): Violation[] {
  const run = new Run(budget);
  try {
    check(readValue(data, budget), undefined, run);
    return run.violations;
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return [TOO_EXPENSIVE];
  }
}
