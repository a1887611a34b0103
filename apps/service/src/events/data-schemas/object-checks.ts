import type { WorkBudget } from "../../lib/lib.ts";
import { isObject } from "./data-value.ts";
import { compilePattern } from "./patterns.ts";
import { fail, passes } from "./run.ts";
import type { Check, Compile, DataPlace, Run } from "./run.ts";

/** Units for making the check of a name. */
const MADE = 6;
/** Units for a name that is looked up in the data. */
const NAME = 0.5;

type Schema = Readonly<Record<string, unknown>>;
type ObjectCheck = (value: Readonly<Record<string, unknown>>, place: DataPlace | undefined, run: Run) => void;

/** Returns the checks of a schema that concern the members of an object. */
export function objectChecks(schema: Schema, one: Compile, budget: WorkBudget): Check[] {
  const checks = [
    ...requiredChecks(schema, budget),
    ...countChecks(schema),
    ...memberChecks(schema, one, budget),
    ...nameCheck(schema, one),
    ...dependentSchemas(schema, one),
  ];
  if (checks.length === 0) return [];
  return [
    (value, place, run) => {
      if (!isObject(value)) return;
      for (const check of checks) check(value, place, run);
    },
  ];
}

function requiredChecks({ required, dependentRequired }: Schema, budget: WorkBudget): ObjectCheck[] {
  const always = Array.isArray(required) ? [{ if: undefined, names: required as string[] }] : [];
  const dependent = isObject(dependentRequired)
    ? Object.entries(dependentRequired).map(([name, names]) => ({ if: name, names: names as string[] }))
    : [];
  budget.spend(dependent.length * MADE);
  return [...always, ...dependent].map(({ if: condition, names }) => (value, place, run) => {
    run.spend(NAME);
    if (condition !== undefined && !Object.hasOwn(value, condition)) return;
    run.spend(names.length * NAME);
    for (const key of names)
      if (!Object.hasOwn(value, key)) fail(run, { parent: place, key }, "required", "is required");
  });
}

function countChecks({ minProperties, maxProperties }: Schema): ObjectCheck[] {
  const checks: ObjectCheck[] = [];
  if (typeof minProperties === "number")
    checks.push((value, place, run) => {
      if (namesOf(value, run).length < minProperties)
        fail(run, place, "minProperties", `must have at least ${minProperties} members`);
    });
  if (typeof maxProperties === "number")
    checks.push((value, place, run) => {
      if (namesOf(value, run).length > maxProperties)
        fail(run, place, "maxProperties", `must have at most ${maxProperties} members`);
    });
  return checks;
}

/** Compiles `properties`, `patternProperties` and `additionalProperties`, which depend on each other. */
function memberChecks(
  { properties, patternProperties, additionalProperties }: Schema,
  one: Compile,
  budget: WorkBudget,
): ObjectCheck[] {
  const members = schemasIn(properties);
  budget.spend(members.length * MADE);
  const named = new Map(members.map(([name, schema]) => [name, one(schema)]));
  const patterns = schemasIn(patternProperties).map(([text, schema]) => ({
    pattern: compilePattern(text, budget),
    check: one(schema),
  }));
  const checks: ObjectCheck[] = [];
  if (named.size > 0) checks.push(namedCheck(named));
  if (patterns.length === 0 && additionalProperties === undefined) return checks;
  const rest = additionalProperties === undefined ? undefined : one(additionalProperties);
  const isClosed = additionalProperties === false;
  checks.push((value, place, run) => {
    for (const key of namesOf(value, run)) {
      run.spend(NAME);
      let isMatched = false;
      for (const { pattern, check } of patterns) {
        if (!pattern.matches(key, run)) continue;
        isMatched = true;
        check(value[key], { parent: place, key }, run);
      }
      if (isMatched || named.has(key) || rest === undefined) continue;
      if (isClosed) fail(run, { parent: place, key }, "additionalProperties", "is not a member of the schema");
      else rest(value[key], { parent: place, key }, run);
    }
  });
  return checks;
}

/** Hot: an index is faster than an iterator. */
function namedCheck(named: ReadonlyMap<string, Check>): ObjectCheck {
  const members = [...named].map(([key, check]) => ({ key, check }));
  return (value, place, run) => {
    run.spend(members.length * NAME);
    for (let at = 0; at < members.length; at += 1) {
      const member = members[at];
      if (member === undefined || !Object.hasOwn(value, member.key)) continue;
      member.check(value[member.key], { parent: place, key: member.key }, run);
    }
  };
}

function nameCheck({ propertyNames }: Schema, one: Compile): ObjectCheck[] {
  if (propertyNames === undefined) return [];
  const check = one(propertyNames);
  return [
    (value, place, run) => {
      for (const key of namesOf(value, run))
        if (!passes(check, key, run)) fail(run, { parent: place, key }, "propertyNames", "must have another name");
    },
  ];
}

function dependentSchemas({ dependentSchemas: schemas }: Schema, one: Compile): ObjectCheck[] {
  return schemasIn(schemas).map(([name, schema]) => {
    const check = one(schema);
    return (value, place, run) => {
      run.spend(NAME);
      if (Object.hasOwn(value, name)) check(value, place, run);
    };
  });
}

/** A list of names costs about as much as reading one of them: it is charged once it is known to be long. */
function namesOf(value: Readonly<Record<string, unknown>>, run: Run): string[] {
  const names = Object.keys(value);
  run.spend(1 + names.length * NAME);
  return names;
}

function schemasIn(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
