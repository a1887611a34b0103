import { fail, passes } from "./run.ts";
import type { Check, Compile } from "./run.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the checks of a schema that combine other schemas. */
export function combinedChecks(schema: Schema, one: Compile): Check[] {
  return [
    ...listed(schema["allOf"], one),
    ...anyOf(listed(schema["anyOf"], one)),
    ...exactlyOne(listed(schema["oneOf"], one)),
    ...not(schema, one),
    ...conditional(schema, one),
  ];
}

function listed(schemas: unknown, one: Compile): Check[] {
  return Array.isArray(schemas) ? schemas.map(one) : [];
}

function anyOf(checks: readonly Check[]): Check[] {
  if (checks.length === 0) return [];
  return [
    (value, place, run) => {
      if (!checks.some((check) => passes(check, value, run)))
        fail(run, place, "anyOf", "must match at least one of the schemas");
    },
  ];
}

function exactlyOne(checks: readonly Check[]): Check[] {
  if (checks.length === 0) return [];
  return [
    (value, place, run) => {
      const count = checks.filter((check) => passes(check, value, run)).length;
      if (count !== 1) fail(run, place, "oneOf", `must match exactly one of the schemas; it matches ${count}`);
    },
  ];
}

function not(schema: Schema, one: Compile): Check[] {
  if (schema["not"] === undefined) return [];
  const check = one(schema["not"]);
  return [
    (value, place, run) => {
      if (passes(check, value, run)) fail(run, place, "not", "must not match the schema");
    },
  ];
}

function conditional(schema: Schema, one: Compile): Check[] {
  const { if: condition, else: otherwise } = schema;
  if (condition === undefined) return [];
  const [holds, then, other] = [condition, schema["then"] ?? true, otherwise ?? true].map(one);
  return [
    (value, place, run) => {
      if (holds === undefined) return;
      (passes(holds, value, run) ? then : other)?.(value, place, run);
    },
  ];
}
