import { isObject } from "./data-value.ts";
import { arrayChecks } from "./array-checks.ts";
import { combinedChecks } from "./combined-checks.ts";
import { objectChecks } from "./object-checks.ts";
import { referred } from "./references.ts";
import { fail } from "./run.ts";
import type { Check, Compile } from "./run.ts";
import { valueChecks } from "./value-checks.ts";

const NEVER: Check = (_value, place, run) => fail(run, place, "false", "must not be present");
const ALWAYS: Check = () => undefined;

/** Compiles a schema that has no faults. Schemas that are referred to several times are compiled once. */
export function compile(root: unknown): Check {
  const made = new Map<object, Check>();
  const one: Compile = (schema) => {
    if (!isObject(schema)) return schema === false ? NEVER : ALWAYS;
    const known = made.get(schema);
    if (known !== undefined) return known;
    const check = joined(checksOf(schema, root, one));
    made.set(schema, check);
    return check;
  };
  return one(root);
}

function checksOf(schema: Readonly<Record<string, unknown>>, root: unknown, one: Compile): Check[] {
  const { $ref } = schema;
  return [
    ...(typeof $ref === "string" ? [one(referred(root, $ref))] : []),
    ...valueChecks(schema),
    ...objectChecks(schema, one),
    ...arrayChecks(schema, one),
    ...combinedChecks(schema, one),
  ];
}

function joined(checks: readonly Check[]): Check {
  const [only] = checks;
  if (only !== undefined && checks.length === 1)
    return (value, place, run) => {
      run.spend(1);
      only(value, place, run);
    };
  return (value, place, run) => {
    run.spend(1);
    for (const check of checks) check(value, place, run);
  };
}
