import { fail, passes } from "./run.ts";
import type { Check, Compile, DataPlace, Run } from "./run.ts";

type Schema = Readonly<Record<string, unknown>>;
type ArrayCheck = (value: readonly unknown[], place: DataPlace | undefined, run: Run) => void;

/** Units for an element that a check comes to. */
const ELEMENT = 0.3;

/** Returns the checks of a schema that concern the elements of an array. */
export function arrayChecks(schema: Schema, one: Compile): Check[] {
  return [...countChecks(schema), ...uniqueCheck(schema), ...elementChecks(schema, one), ...contains(schema, one)].map(
    (check) => (value, place, run) => {
      if (Array.isArray(value)) check(value as readonly unknown[], place, run);
    },
  );
}

function countChecks({ minItems, maxItems }: Schema): ArrayCheck[] {
  const checks: ArrayCheck[] = [];
  if (typeof minItems === "number")
    checks.push((value, place, run) => {
      if (value.length < minItems) fail(run, place, "minItems", `must have at least ${minItems} elements`);
    });
  if (typeof maxItems === "number")
    checks.push((value, place, run) => {
      if (value.length > maxItems) fail(run, place, "maxItems", `must have at most ${maxItems} elements`);
    });
  return checks;
}

function uniqueCheck({ uniqueItems }: Schema): ArrayCheck[] {
  if (uniqueItems !== true) return [];
  return [
    (value, place, run) => {
      const known = new Set<string>();
      for (const [key, element] of value.entries()) {
        run.spend(2);
        const text = run.identityOf(element);
        if (known.has(text)) fail(run, { parent: place, key }, "uniqueItems", "must not repeat another element");
        known.add(text);
      }
    },
  ];
}

function elementChecks({ prefixItems, items }: Schema, one: Compile): ArrayCheck[] {
  const first = Array.isArray(prefixItems) ? prefixItems.map(one) : [];
  const rest = items === undefined ? undefined : one(items);
  if (first.length === 0 && rest === undefined) return [];
  return [
    (value, place, run) => {
      const length = rest === undefined ? Math.min(value.length, first.length) : value.length;
      for (let key = 0; key < length; key += 1) {
        run.spend(ELEMENT);
        (first[key] ?? rest)?.(value[key], { parent: place, key }, run);
      }
    },
  ];
}

function contains({ contains: schema, minContains = 1, maxContains }: Schema, one: Compile): ArrayCheck[] {
  if (schema === undefined) return [];
  const check = one(schema);
  const [least, most] = [Number(minContains), maxContains === undefined ? Infinity : Number(maxContains)];
  return [
    (value, place, run) => {
      let count = 0;
      for (const element of value) if (passes(check, element, run)) count += 1;
      if (count < least) fail(run, place, "contains", `must contain at least ${least} matching elements`);
      if (count > most) fail(run, place, "maxContains", `must contain at most ${most} matching elements`);
    },
  ];
}
