import { pointerOf } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { compare, identityOf, isNumber, isObject } from "./data-value.ts";
import { typesOf } from "./definition.ts";
import { isAnnotation, subschemasOf } from "./keywords.ts";
import { referred } from "./references.ts";

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
  pairs: number;
}

const MAX_PAIRS = 20_000;
const MAX_VIOLATIONS = 50;

/**
 * Returns the differences because of which a schema cannot replace another one in the same version (docs/decisions/0053).
 * `narrowed`: data that was valid might be refused. `promise_dropped`: receivers might miss what they could rely on. Added
 * optional properties, looser bounds, more values of an enum and changed annotations are compatible. Both schemas must
 * have no faults. Pointers lead into the new schema.
 */
export function incompatibilities(from: unknown, to: unknown): Violation[] {
  const comparison: Comparison = { from, to, violations: [], known: new Map(), pairs: 0 };
  compareAt(comparison, from, to, []);
  return comparison.violations;
}

function report({ violations }: Comparison, steps: Steps, code: "narrowed" | "promise_dropped", message: string): void {
  if (violations.length < MAX_VIOLATIONS) violations.push({ pointer: pointerOf(steps), code, message });
}

const narrowed = (comparison: Comparison, steps: Steps, message: string): void =>
  report(comparison, steps, "narrowed", message);
const dropped = (comparison: Comparison, steps: Steps, message: string): void =>
  report(comparison, steps, "promise_dropped", message);

function compareAt(comparison: Comparison, from: unknown, to: unknown, steps: Steps): void {
  const [a, b] = [plain(from, comparison.from), plain(to, comparison.to)];
  if (isKnown(comparison, a, b)) return;
  const pair = { from: a, to: b, steps };
  for (const rule of RULES) rule(comparison, pair);
}

/** Returns the schema as an object. A schema that is only a reference is replaced by what it names. */
function plain(schema: unknown, root: unknown): Schema {
  let found = schema;
  while (isObject(found) && typeof found["$ref"] === "string" && keywordsOf(found).length === 1)
    found = referred(root, found["$ref"]);
  if (isObject(found)) return found;
  return found === false ? NOTHING : ANYTHING;
}

const ANYTHING: Schema = {};
const NOTHING: Schema = { not: ANYTHING };

/** Remembers a pair, because schemas that are used at many places need to be compared only once. */
function isKnown(comparison: Comparison, a: Schema, b: Schema): boolean {
  const { known } = comparison;
  comparison.pairs += 1;
  if (comparison.pairs > MAX_PAIRS) {
    if (comparison.pairs === MAX_PAIRS + 1) narrowed(comparison, [], "is too complex to compare: make a new version");
    return true;
  }
  const compared = known.get(a) ?? new Set();
  if (compared.has(b)) return true;
  known.set(a, compared.add(b));
  return false;
}

function keywordsOf(schema: Schema): string[] {
  return Object.keys(schema).filter((name) => !isAnnotation(name));
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
  const [a, b] = [allowedValues(from), allowedValues(to)];
  const at = [...steps, "const" in to ? "const" : "enum"];
  if (b !== undefined && (a === undefined || [...a].some((value) => !b.has(value))))
    narrowed(comparison, at, "must still accept every value that was accepted");
  if (a !== undefined && b === undefined) dropped(comparison, at, "must still be limited to known values");
}

function allowedValues(schema: Schema): ReadonlySet<string> | undefined {
  if ("const" in schema) return new Set([identityOf(schema["const"])]);
  return Array.isArray(schema["enum"]) ? new Set(schema["enum"].map(identityOf)) : undefined;
}

const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function bounds(comparison: Comparison, { from, to, steps }: Pair): void {
  for (const [keywords, tighter] of [[LOWER, 1] as const, [UPPER, -1] as const]) {
    for (const keyword of keywords) {
      const [a, b] = [from[keyword], to[keyword]];
      if (isNumber(b) && (!isNumber(a) || compare(b, a) === tighter))
        narrowed(comparison, [...steps, keyword], "must not be a narrower limit than before");
    }
  }
}

function forms(comparison: Comparison, { from, to, steps }: Pair): void {
  for (const keyword of ["multipleOf", "pattern", "format", "uniqueItems"]) {
    const [a, b] = [from[keyword], to[keyword]];
    if (b !== undefined && b !== false && identityOf(a ?? null) !== identityOf(b))
      narrowed(comparison, [...steps, keyword], "must not be added or changed");
  }
  if (from["format"] !== undefined && to["format"] === undefined)
    dropped(comparison, [...steps, "format"], "must not be removed");
}

function required(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [namesIn(from["required"]), namesIn(to["required"])];
  const at = [...steps, "required"];
  for (const name of b) if (!a.includes(name)) narrowed(comparison, at, `must not add ${JSON.stringify(name)}`);
  for (const name of a) if (!b.includes(name)) dropped(comparison, at, `must still contain ${JSON.stringify(name)}`);
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function properties(comparison: Comparison, { from, to, steps }: Pair): void {
  const [a, b] = [membersOf(from["properties"]), membersOf(to["properties"])];
  for (const [name, schema] of a) {
    const at = [...steps, "properties", name];
    if (b.has(name)) compareAt(comparison, schema, b.get(name), at);
    else dropped(comparison, at, "must not be removed");
  }
  for (const [name, schema] of b)
    if (!a.has(name) && schema === false) narrowed(comparison, [...steps, "properties", name], "must not be forbidden");
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

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
  const names = new Set([...keywordsOf(from), ...keywordsOf(to)].filter((name) => !COMPARED.has(name)));
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
  const [a, b] = [plain(from, comparison.from), plain(to, comparison.to)];
  comparison.pairs += 1;
  if (comparison.pairs > MAX_PAIRS) return false;
  const names = keywordsOf(a);
  if (names.length !== keywordsOf(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSameKeyword(comparison, name, a, b));
}

function isSameKeyword(comparison: Comparison, name: string, a: Schema, b: Schema): boolean {
  if (name === "$ref") return isSame(comparison, referredBy(a, comparison.from), referredBy(b, comparison.to));
  const [below, other] = [subschemasOf(name, a[name]), subschemasOf(name, b[name])];
  if (below.length === 0 && other.length === 0) return identityOf(a[name]) === identityOf(b[name]);
  if (below.length !== other.length) return false;
  const places = new Map(other.map((one) => [pointerOf(one.steps), one.schema]));
  return below.every(({ steps, schema }) => {
    const place = pointerOf(steps);
    return places.has(place) && isSame(comparison, schema, places.get(place));
  });
}

function referredBy(schema: Schema, root: unknown): unknown {
  return referred(root, String(schema["$ref"]));
}
