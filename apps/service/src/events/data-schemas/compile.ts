import { isObject } from "./data-value.ts";
import { arrayChecks } from "./array-checks.ts";
import { combinedChecks } from "./combined-checks.ts";
import { objectChecks } from "./object-checks.ts";
import { referencePrice, referred } from "./references.ts";
import { fail } from "./run.ts";
import type { Check, Compile } from "./run.ts";
import type { WorkBudget } from "../../lib/lib.ts";
import { valueChecks } from "./value-checks.ts";

const NEVER: Check = (_value, place, run) => fail(run, place, "false", "must not be present");
const ALWAYS: Check = () => undefined;

/** Units for making the checks of one schema. */
const COMPILED = 12;

/** Compiles a schema that has no faults. Schemas that are referred to several times are compiled once. */
export function compile(root: unknown, budget: WorkBudget): Check {
  const made = new Map<object, Check>();
  const one: Compile = (schema) => {
    if (!isObject(schema)) return schema === false ? NEVER : ALWAYS;
    const known = made.get(schema);
    if (known !== undefined) return known;
    budget.spend(COMPILED);
    const check = joined(checksOf(schema, root, one, budget));
    made.set(schema, check);
    return check;
  };
  return one(root);
}

function checksOf(schema: Readonly<Record<string, unknown>>, root: unknown, one: Compile, budget: WorkBudget): Check[] {
  const { $ref } = schema;
  return [
    ...(typeof $ref === "string" ? [one(followed(root, $ref, budget))] : []),
    ...valueChecks(schema, budget),
    ...objectChecks(schema, one, budget),
    ...arrayChecks(schema, one),
    ...combinedChecks(schema, one),
  ];
}

function followed(root: unknown, reference: string, budget: WorkBudget): unknown {
  budget.spend(referencePrice(reference));
  return referred(root, reference);
}

/** Units for a check that does nothing but look at the value. */
const CHECK = 0.3;

function joined(checks: readonly Check[]): Check {
  const [only] = checks;
  if (only !== undefined && checks.length === 1)
    return (value, place, run) => {
      run.spend(CHECK);
      only(value, place, run);
    };
  const price = checks.length * CHECK;
  return (value, place, run) => {
    run.spend(price);
    for (const check of checks) {
      check(value, place, run);
      // The other checks of a trial cannot change that it failed.
      if (run.isTrial && run.isFailed) return;
    }
  };
}
