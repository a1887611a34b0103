import { pointerOf, TooExpensiveError, WorkBudget } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { compare, identityOf, isNumber, isObject, numberPrice } from "./data-value.ts";
import { typesOf } from "./definition.ts";
import { isAnnotation, subschemasOf } from "./keywords.ts";
import { shortPointer } from "./pointer.ts";
import { referencePrice, referred } from "./references.ts";

type Schema = Readonly<Record<string, unknown>>;
type Steps = readonly (string | number)[];

/** Two schemas at the same place: of the data as it was, and as it is to become. */
interface Pair {
  readonly from: Schema;
  readonly to: Schema;
  readonly steps: Steps;
}

interface Comparison {
  readonly from: unknown;
  readonly to: unknown;
  readonly violations: Violation[];
  /** The pairs that have been compared. */
  readonly known: Map<object, Set<object>>;
  readonly budget: WorkBudget;
}

/** Units for comparing two schemas, and for a name that is looked up in one of them. */
const PAIR = 20;
const NAME = 2;
const MAX_VIOLATIONS = 50;

/**
 * Returns the differences because of which a schema cannot replace another one in the same version (docs/decisions/0053).
 * `narrowed`: data that was valid might be refused. `promise_dropped`: receivers might miss what they could rely on. Added
 * optional properties, looser bounds, more values of an enum and changed annotations are compatible. Both schemas must
 * have no faults. Pointers lead into the new schema. What takes too long to compare counts as narrowed.
 */
export function incompatibilities(from: unknown, to: unknown, budget: WorkBudget = new WorkBudget()): Violation[] {
  const comparison: Comparison = { from, to, violations: [], known: new Map(), budget };
  try {
    compareAt(comparison, from, to, []);
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return [{ pointer: "", code: "narrowed", message: "is too complex to compare: make a new version" }];
  }
  return comparison.violations;
}

function report({ violations }: Comparison, steps: Steps, code: "narrowed" | "promise_dropped", message: string): void {
  if (violations.length < MAX_VIOLATIONS) violations.push({ pointer: shortPointer(steps), code, message });
}

const narrowed = (comparison: Comparison, steps: Steps, message: string): void =>
  report(comparison, steps, "narrowed", message);
const dropped = (comparison: Comparison, steps: Steps, message: string): void =>
  report(comparison, steps, "promise_dropped", message);

function compareAt(comparison: Comparison, from: unknown, to: unknown, steps: Steps): void {
  comparison.budget.spend(PAIR + steps.length / 4);
  const [a, b] = [plain(comparison, from, comparison.from), plain(comparison, to, comparison.to)];
  if (isKnown(comparison, a, b)) return;
  const pair = { from: a, to: b, steps };
  for (const rule of RULES) rule(comparison, pair);
}

/** Returns the schema as an object. A schema that is only a reference is replaced by what it names. */
function plain(comparison: Comparison, schema: unknown, root: unknown): Schema {
  let found = schema;
  while (isObject(found) && typeof found["$ref"] === "string" && keywordsOf(comparison, found).length === 1)
    found = followed(comparison, root, found["$ref"]);
  if (isObject(found)) return found;
  return found === false ? NOTHING : ANYTHING;
}

const ANYTHING: Schema = {};
const NOTHING: Schema = { not: ANYTHING };

/** Remembers a pair, because schemas that are used at many places need to be compared only once. */
function isKnown({ known }: Comparison, a: Schema, b: Schema): boolean {
  const compared = known.get(a) ?? new Set();
  if (compared.has(b)) return true;
  known.set(a, compared.add(b));
  return false;
}

function followed({ budget }: Comparison, root: unknown, reference: string): unknown {
  budget.spend(referencePrice(reference));
  return referred(root, reference);
}

/** Charged once its names are known, which are those of a text that was charged when it was read. */
function keywordsOf({ budget }: Comparison, schema: Schema): string[] {
  const names = Object.keys(schema);
  budget.spend(names.length * NAME);
  return names.filter((name) => !isAnnotation(name));
}

type Rule = (comparison: Comparison, pair: Pair) => void;

const RULES: readonly Rule[] = [types, values, bounds, forms, required, properties, additional, items, others];

const ALL_TYPES = ["null", "boolean", "object", "array", "number", "string"];

function types(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [acceptedTypes(from), acceptedTypes(to)];
  const at = [...steps, "type"];
  const lost = a.filter((type) => !includesType(b, type));
  if (lost.length > 0) narrowed(comparison, at, `must still accept ${lost.join(", ")}`);
  const added = b.filter((type) => !includesType(a, type));
  if (added.length > 0)
    dropped(comparison, at, `must not also accept ${added.join(", ")}, which receivers do not expect`);
}

function acceptedTypes({ type }: Schema): readonly string[] {
  return type === undefined ? ALL_TYPES : typesOf(type);
}

function includesType(names: readonly string[], type: string): boolean {
  return names.includes(type) || (type === "integer" && names.includes("number"));
}

function values(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [allowedValues(comparison, from), allowedValues(comparison, to)];
  const at = [...steps, "const" in to ? "const" : "enum"];
  if (b !== undefined && (a === undefined || !a.isSubsetOf(b)))
    narrowed(comparison, at, "must still accept every value that was accepted");
  if (a !== undefined && b === undefined) dropped(comparison, at, "must still be limited to known values");
}

function allowedValues({ budget }: Comparison, schema: Schema): ReadonlySet<string> | undefined {
  if (Object.hasOwn(schema, "const")) return new Set([identityOf(schema["const"], budget)]);
  const { enum: listed } = schema;
  if (!Array.isArray(listed)) return undefined;
  budget.spend(listed.length * NAME);
  return new Set(listed.map((value) => identityOf(value, budget)));
}

const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function bounds(comparison: Comparison, { from, to, steps }: Pair): void {
  for (const [keywords, tighter] of [[LOWER, 1] as const, [UPPER, -1] as const]) {
    for (const keyword of keywords) {
      const [a, b] = [from[keyword], to[keyword]];
      if (isNumber(b)) comparison.budget.spend(numberPrice(b) + (isNumber(a) ? numberPrice(a) : 0));
      if (isNumber(b) && (!isNumber(a) || compare(b, a) === tighter))
        narrowed(comparison, [...steps, keyword], "must not be a narrower limit than before");
    }
  }
}

function forms(comparison: Comparison, { from, to, steps }: Pair): void {
  for (const keyword of ["multipleOf", "pattern", "format", "uniqueItems"]) {
    const [a, b] = [from[keyword], to[keyword]];
    if (b !== undefined && b !== false && !isEqual(comparison, a ?? null, b))
      narrowed(comparison, [...steps, keyword], "must not be added or changed");
  }
  if (from["format"] !== undefined && to["format"] === undefined)
    dropped(comparison, [...steps, "format"], "must not be removed");
}

function isEqual({ budget }: Comparison, a: unknown, b: unknown): boolean {
  return identityOf(a, budget) === identityOf(b, budget);
}

function required(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [namesIn(comparison, from["required"]), namesIn(comparison, to["required"])];
  const at = [...steps, "required"];
  for (const name of b) if (!a.has(name)) narrowed(comparison, at, `must not add ${shownSchema(name)}`);
  for (const name of a) if (!b.has(name)) dropped(comparison, at, `must still contain ${shownSchema(name)}`);
}

const MAX_SHOWN = 200;

function shownSchema(name: string): string {
  const text = JSON.stringify(name.slice(0, MAX_SHOWN).toWellFormed());
  return name.length <= MAX_SHOWN ? text : `${text}…`;
}

function namesIn({ budget }: Comparison, value: unknown): ReadonlySet<string> {
  if (!Array.isArray(value)) return NO_NAMES;
  budget.spend(value.length * NAME);
  return new Set(value as readonly string[]);
}

const NO_NAMES: ReadonlySet<string> = new Set();

function properties(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [membersOf(comparison, from["properties"]), membersOf(comparison, to["properties"])];
  for (const [name, schema] of a) {
    const at = [...steps, "properties", name];
    if (b.has(name)) compareAt(comparison, schema, b.get(name), at);
    else dropped(comparison, at, "must not be removed");
  }
  for (const [name, schema] of b)
    if (!a.has(name) && schema === false) narrowed(comparison, [...steps, "properties", name], "must not be forbidden");
}

function membersOf({ budget }: Comparison, value: unknown): ReadonlyMap<string, unknown> {
  if (!isObject(value)) return NO_MEMBERS;
  const members = new Map(Object.entries(value));
  budget.spend(members.size * NAME);
  return members;
}

const NO_MEMBERS: ReadonlyMap<string, unknown> = new Map();

function additional(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [from["additionalProperties"] ?? true, to["additionalProperties"] ?? true];
  const at = [...steps, "additionalProperties"];
  if (b === true || a === false) return;
  if (a === true || b === false) narrowed(comparison, at, "must still accept members that were accepted");
  else compareAt(comparison, a, b, at);
}

function items(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [from["items"] ?? true, to["items"] ?? true];
  compareAt(comparison, a, b, [...steps, "items"]);
}

const COMPARED: ReadonlySet<string> = new Set(
  ["type", "enum", "const", "required", "properties", "additionalProperties", "items"].concat(
    ["multipleOf", "pattern", "format", "uniqueItems"],
    LOWER,
    UPPER,
  ),
);

/** All other keywords must stay as they are, because the effect of a change is unknown. */
function others(comparison: Comparison, { from, to, steps }: Pair): void {
  const names = new Set(
    [...keywordsOf(comparison, from), ...keywordsOf(comparison, to)].filter((name) => !COMPARED.has(name)),
  );
  for (const name of names)
    if (!isSame(comparison, keywordOf(from, name), keywordOf(to, name)))
      narrowed(comparison, [...steps, name], "must not be added, changed or removed");
}

function keywordOf(schema: Schema, name: string): Schema | undefined {
  return Object.hasOwn(schema, name) ? { [name]: schema[name] } : undefined;
}

/** Returns whether two schemas accept the same data for the same reasons. Annotations are not compared. */
function isSame(comparison: Comparison, from: unknown, to: unknown): boolean {
  if (from === undefined || to === undefined) return from === to;
  comparison.budget.spend(PAIR);
  const [a, b] = [plain(comparison, from, comparison.from), plain(comparison, to, comparison.to)];
  const names = keywordsOf(comparison, a);
  if (names.length !== keywordsOf(comparison, b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSameKeyword(comparison, name, a, b));
}

function isSameKeyword(comparison: Comparison, name: string, a: Schema, b: Schema): boolean {
  if (name === "$ref")
    return isSame(comparison, referredBy(comparison, a, comparison.from), referredBy(comparison, b, comparison.to));
  const [below, other] = [subschemasOf(name, a[name]), subschemasOf(name, b[name])];
  comparison.budget.spend((below.length + other.length) * NAME * 2);
  if (below.length === 0 && other.length === 0) return isEqual(comparison, a[name], b[name]);
  if (below.length !== other.length) return false;
  const places = new Map(other.map((one) => [pointerOf(one.steps), one.schema]));
  return below.every(({ steps, schema }) => {
    const place = pointerOf(steps);
    return places.has(place) && isSame(comparison, schema, places.get(place));
  });
}

function referredBy(comparison: Comparison, schema: Schema, root: unknown): unknown {
  return followed(comparison, root, String(schema["$ref"]));
}
