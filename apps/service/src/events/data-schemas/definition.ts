import { TooExpensiveError, WorkBudget } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { compare, isNumber, isObject } from "./data-value.ts";
import { formats } from "./formats.ts";
import { keywords, subschemasOf, TYPES } from "./keywords.ts";
import type { KeywordForm } from "./keywords.ts";
import { compilePattern } from "./patterns.ts";
import { shortPointer } from "./pointer.ts";
import { referencePrice, referenceSteps, referred } from "./references.ts";

export const MAX_SCHEMA_BYTES = 65_536;
/** The maximum number of schemas inside each other, references included. */
export const MAX_SCHEMA_DEPTH = 32;
const MAX_PATTERNS = 50;
const MAX_FAULTS = 50;

interface Walk {
  readonly root: unknown;
  readonly faults: Violation[];
  /** The depth of each schema that has been checked. */
  readonly depths: Map<object, number>;
  /** The schemas that contain the current one, or that led to it by a reference. */
  readonly open: Set<object>;
  readonly patterns: Set<string>;
  readonly budget: WorkBudget;
  isTooDeep: boolean;
}

/** Units for a schema, and for a keyword or a name in it. */
const VISITED = 3;
const KEYWORD = 2;

type Steps = readonly (string | number)[];

/**
 * Returns the faults of a schema of event data, with pointers into it; empty if it can be compiled. The schema is read by
 * `readValue`. Throws `TooExpensiveError`.
 */
export function schemaFaults(schema: unknown, budget: WorkBudget = new WorkBudget()): Violation[] {
  if (!isObject(schema)) return [{ pointer: "", code: "type", message: "must be a JSON Schema that is an object" }];
  const walk: Walk = {
    root: schema,
    faults: [],
    depths: new Map(),
    open: new Set(),
    patterns: new Set(),
    budget,
    isTooDeep: false,
  };
  visit(walk, schema, []);
  const types = typesOf(schema["type"]);
  if (walk.faults.length === 0 && types.length > 0 && !types.includes("object"))
    fault(walk, ["type"], "type", "must include object, because the data of an event is always an object");
  return walk.faults;
}

export function typesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

function fault({ faults }: Walk, steps: Steps, code: string, message: string): void {
  if (faults.length < MAX_FAULTS) faults.push({ pointer: shortPointer(steps), code, message });
}

/** Returns the depth of a schema, references included. */
function visit(walk: Walk, schema: unknown, steps: Steps): number {
  if (typeof schema === "boolean") return 1;
  if (!isObject(schema)) {
    fault(walk, steps, "type", "must be a JSON Schema: an object, true or false");
    return 1;
  }
  const known = walk.depths.get(schema);
  if (known !== undefined) return known;
  walk.budget.spend(VISITED);
  if (walk.open.size >= MAX_SCHEMA_DEPTH) return tooDeep(walk, steps);
  walk.open.add(schema);
  const depth = 1 + Math.max(0, ...below(walk, schema, steps));
  walk.open.delete(schema);
  walk.depths.set(schema, depth);
  return depth > MAX_SCHEMA_DEPTH ? tooDeep(walk, steps) : depth;
}

/** Reports the first schema that is too deep, or that is the top of too many. */
function tooDeep(walk: Walk, steps: Steps): number {
  if (!walk.isTooDeep)
    fault(walk, steps, "depth", `must be at most ${MAX_SCHEMA_DEPTH} schemas deep, references included`);
  walk.isTooDeep = true;
  return 1;
}

function below(walk: Walk, schema: Readonly<Record<string, unknown>>, steps: Steps): number[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    walk.budget.spend(KEYWORD + steps.length / 4);
    const at = [...steps, name];
    const form = keywords.get(name);
    if (form === undefined) {
      if (!name.startsWith("x-")) fault(walk, at, "keyword", keywordFault(name));
      return [];
    }
    if (form === "reference") return [follow(walk, value, at)];
    const message = formFault(walk, form, value);
    if (message !== undefined) {
      fault(walk, at, form === "pattern" ? "pattern" : "type", message);
      return [];
    }
    if (form === "schemas by pattern") patternNames(walk, value, at);
    return subschemasOf(name, value).map((one) => {
      walk.budget.spend(KEYWORD + steps.length / 4);
      return visit(walk, one.schema, [...steps, ...one.steps]);
    });
  });
}

function keywordFault(name: string): string {
  if (name === "nullable") return 'is not a keyword of JSON Schema 2020-12: add "null" to `type`';
  if (name === "definitions") return "is not a keyword of JSON Schema 2020-12: use $defs";
  return "is not supported for schemas of events; begin the names of your own keywords with x-";
}

function follow(walk: Walk, value: unknown, at: Steps): number {
  if (typeof value !== "string" || referenceSteps(value) === undefined) {
    fault(walk, at, "reference", "must be a reference within this schema, such as #/$defs/money");
    return 1;
  }
  walk.budget.spend(referencePrice(value));
  const target = referred(walk.root, value);
  if (target === undefined) {
    fault(walk, at, "reference", "refers to nothing in this schema");
    return 1;
  }
  if (isObject(target) && walk.open.has(target)) {
    fault(walk, at, "cycle", "must not lead back to a schema that contains it");
    return 1;
  }
  return visit(walk, target, at);
}

function patternNames(walk: Walk, value: unknown, at: Steps): void {
  for (const name of Object.keys(value as object)) {
    const message = patternFault(walk, name);
    if (message !== undefined) fault(walk, [...at, name], "pattern", message);
  }
}

function patternFault(walk: Walk, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a text";
  walk.patterns.add(value);
  if (walk.patterns.size > MAX_PATTERNS)
    return `is one pattern too many: a schema can have ${MAX_PATTERNS} different ones`;
  try {
    compilePattern(value, walk.budget);
    return undefined;
  } catch (error) {
    if (error instanceof TooExpensiveError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

const forms: Readonly<Record<KeywordForm, (value: unknown, walk: Walk) => string | undefined>> = {
  schema: () => undefined,
  any: () => undefined,
  reference: () => undefined,
  schemas: (value) => (Array.isArray(value) && value.length > 0 ? undefined : "must be a list of schemas"),
  "schemas by name": (value) => (isObject(value) ? undefined : "must be an object of schemas"),
  "schemas by pattern": (value) => (isObject(value) ? undefined : "must be an object of schemas"),
  natural: (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? undefined
      : "must be a whole number, 0 or more",
  number: (value) => (isNumber(value) ? undefined : "must be a number"),
  // Comparing with 0 takes about as long as reading the number did.
  positive: (value) => (isNumber(value) && compare(value, 0) === 1 ? undefined : "must be a number above 0"),
  boolean: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  texts: (value, walk) => (isTextsOf(walk, value) ? undefined : "must be a list of different texts"),
  "texts by name": (value, walk) =>
    isObject(value) && Object.values(value).every((one) => isTextsOf(walk, one))
      ? undefined
      : "must be an object of lists of texts",
  types: (value) => {
    const types = typesOf(value);
    const isList = typeof value === "string" || (Array.isArray(value) && value.length === types.length);
    return isList && types.length > 0 && isTexts(types) && types.every((type) => TYPES.includes(type))
      ? undefined
      : `must be one or more of ${TYPES.join(", ")}`;
  },
  values: (value) => (Array.isArray(value) && value.length > 0 ? undefined : "must be a list with at least one value"),
  pattern: (value, walk) => patternFault(walk, value),
  format: (value) =>
    typeof value === "string" && Object.hasOwn(formats, value)
      ? undefined
      : `must be one of ${Object.keys(formats).join(", ")}`,
  text: (value) => (typeof value === "string" ? undefined : "must be a text"),
};

function isTextsOf({ budget }: Walk, value: unknown): boolean {
  if (Array.isArray(value)) budget.spend((2 + value.length) * TEXT);
  return isTexts(value);
}

const TEXT = 2;

function formFault(walk: Walk, form: KeywordForm, value: unknown): string | undefined {
  return forms[form](value, walk);
}

function isTexts(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one === "string") &&
    new Set(value as unknown[]).size === value.length
  );
}
