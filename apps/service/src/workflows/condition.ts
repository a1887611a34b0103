import { isRecord, pointerOf, readDecimal, readField } from "../kernel/kernel.ts";
import type { Path, ScannedJson, Violation } from "../kernel/kernel.ts";
import { ROOTS } from "./facts.ts";
import type { Fact, Facts } from "./facts.ts";

/** A tree of tests (contract, section 7): no regular expression, no coercion, numbers compared as they are spelled. */
export type Condition =
  | { readonly kind: "all" | "any" | "not"; readonly parts: readonly Condition[] }
  | { readonly kind: "test"; readonly path: Path; readonly op: Op; readonly operands: readonly Fact[] };

const OPS = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "not_in",
  "contains",
  "starts_with",
  "ends_with",
  "exists",
] as const;
type Op = (typeof OPS)[number];

/** Groups within groups. */
const MAX_CONDITION_DEPTH = 5;
const MAX_OPERANDS = 100;

type Step = string | number;
type Place = readonly Step[];

/** Reads the tree at a place of a text. Everything wrong with it is put into `faults`, at pointers below the place. */
export function readCondition(source: ScannedJson, place: Place, faults: Violation[]): Condition {
  return readNode({ source, faults }, place, 1);
}

/** `all` of none holds, `any` of none does not, `not` holds when none of its parts does. */
export function holds(condition: Condition, facts: Facts): boolean {
  if (condition.kind === "test") return tests[condition.op](facts.at(condition.path), condition.operands);
  if (condition.kind === "all") return condition.parts.every((part) => holds(part, facts));
  const isAny = condition.parts.some((part) => holds(part, facts));
  return condition.kind === "any" ? isAny : !isAny;
}

const tests: Readonly<Record<Op, (fact: Fact | undefined, operands: readonly Fact[]) => boolean>> = {
  eq: isAmong,
  ne: (fact, operands) => !isAmong(fact, operands),
  in: isAmong,
  not_in: (fact, operands) => !isAmong(fact, operands),
  gt: (fact, operands) => compared(fact, operands, (difference) => difference > 0),
  gte: (fact, operands) => compared(fact, operands, (difference) => difference >= 0),
  lt: (fact, operands) => compared(fact, operands, (difference) => difference < 0),
  lte: (fact, operands) => compared(fact, operands, (difference) => difference <= 0),
  contains: (fact, operands) => operands.some((operand) => contains(fact, operand)),
  starts_with: (fact, operands) => ofTexts(fact, operands, (text, part) => text.startsWith(part)),
  ends_with: (fact, operands) => ofTexts(fact, operands, (text, part) => text.endsWith(part)),
  exists: (fact, [operand]) => (fact !== undefined) === (operand?.value ?? true),
};

function isAmong(fact: Fact | undefined, operands: readonly Fact[]): boolean {
  return fact !== undefined && operands.some((operand) => isEqual(fact, operand));
}

function isEqual(a: Fact, b: Fact): boolean {
  if (typeof a.value !== typeof b.value) return false;
  if (typeof a.value === "number") return a.text === b.text || order(a, b) === 0;
  return typeof a.value !== "object" || a.value === null ? a.value === b.value : false;
}

function compared(
  fact: Fact | undefined,
  [operand]: readonly Fact[],
  wanted: (difference: number) => boolean,
): boolean {
  const found = fact === undefined || operand === undefined ? undefined : order(fact, operand);
  return found !== undefined && wanted(found);
}

/** Of two numbers, or of two texts by their code units; undefined for anything else, and for numbers of more than 40 digits. */
function order(a: Fact, b: Fact): number | undefined {
  if (typeof a.value === "string" && typeof b.value === "string")
    return a.value < b.value ? -1 : Number(a.value > b.value);
  if (typeof a.value !== "number" || typeof b.value !== "number") return undefined;
  const [left, right] = [readDecimal(a.text), readDecimal(b.text)];
  if (left === undefined || right === undefined) return undefined;
  const scale = Math.max(left.scale, right.scale);
  const difference =
    left.digits * 10n ** BigInt(scale - left.scale) - right.digits * 10n ** BigInt(scale - right.scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

function contains(fact: Fact | undefined, operand: Fact): boolean {
  if (fact === undefined) return false;
  if (typeof fact.value === "string") return typeof operand.value === "string" && fact.value.includes(operand.value);
  if (!Array.isArray(fact.value)) return false;
  const elements: readonly unknown[] = fact.value;
  // An element of a list has no text of its own here: what a number lost by reading it is lost for both.
  return elements.some((value) => value === operand.value);
}

function ofTexts(
  fact: Fact | undefined,
  [operand]: readonly Fact[],
  test: (text: string, part: string) => boolean,
): boolean {
  return typeof fact?.value === "string" && typeof operand?.value === "string" && test(fact.value, operand.value);
}

interface Reading {
  readonly source: ScannedJson;
  readonly faults: Violation[];
}

const NOTHING: Condition = { kind: "all", parts: [] };

function readNode(reading: Reading, place: Place, depth: number): Condition {
  const node = valueAt(reading.source, place);
  if (!isRecord(node)) return fault(reading, place, "must be {all|any|not: […]} or {field, op, value}");
  const kind = (["all", "any", "not"] as const).find((name) => Object.hasOwn(node, name));
  if (kind === undefined) return readTest(reading, place, node);
  if (depth > MAX_CONDITION_DEPTH) {
    return fault(reading, place, `must not have groups deeper than ${MAX_CONDITION_DEPTH} levels`);
  }
  const parts = node[kind];
  if (!Array.isArray(parts) || Object.keys(node).length > 1) {
    return fault(reading, place, `must have ${kind} alone, a list of conditions`);
  }
  return { kind, parts: parts.map((_part, at) => readNode(reading, [...place, kind, at], depth + 1)) };
}

function readTest(reading: Reading, place: Place, node: Readonly<Record<string, unknown>>): Condition {
  const unknown = Object.keys(node).find((name) => !["field", "op", "value"].includes(name));
  if (unknown !== undefined) return fault(reading, [...place, unknown], "is not a member of a condition");
  const path = typeof node["field"] === "string" ? readField(node["field"]) : undefined;
  if (path === undefined || !ROOTS.includes(path.steps[0])) {
    return fault(
      reading,
      [...place, "field"],
      "must be a path that begins with event, data, input or steps, such as data.order.total",
    );
  }
  const op = OPS.find((known) => known === node["op"]);
  if (op === undefined) return fault(reading, [...place, "op"], `must be one of ${OPS.join(", ")}`);
  const operands = operandsOf(reading.source, [...place, "value"], op, node["value"]);
  if (typeof operands === "string") return fault(reading, [...place, "value"], operands);
  return { kind: "test", path, op, operands };
}

/** What the test compares with, or what is wrong with it. */
function operandsOf(source: ScannedJson, place: Place, op: Op, value: unknown): readonly Fact[] | string {
  const { takes, means } = OPERANDS[op];
  if (!takes(value)) return `must be ${means}`;
  if (Array.isArray(value)) {
    return value.map((each: unknown, at) => ({ value: each, text: source.slice([...place, at]) ?? "null" }));
  }
  return value === undefined ? [] : [{ value, text: source.slice(place) ?? "null" }];
}

interface Operand {
  takes(value: unknown): boolean;
  readonly means: string;
}

const SCALAR: Operand = { takes: isScalar, means: "a text, a number, a truth value or null" };
const TEXT: Operand = { takes: (value) => typeof value === "string", means: "a text" };
const ORDERED: Operand = { takes: (value) => ["string", "number"].includes(typeof value), means: "a number or a text" };
const LIST: Operand = {
  takes: (value) => Array.isArray(value) && value.length <= MAX_OPERANDS && value.every(isScalar),
  means: `a list of at most ${MAX_OPERANDS} texts, numbers, truth values or nulls`,
};
const SWITCH: Operand = {
  takes: (value) => value === undefined || typeof value === "boolean",
  means: "true or false, or left out",
};
const OPERANDS: Readonly<Record<Op, Operand>> = {
  eq: SCALAR,
  ne: SCALAR,
  contains: SCALAR,
  gt: ORDERED,
  gte: ORDERED,
  lt: ORDERED,
  lte: ORDERED,
  starts_with: TEXT,
  ends_with: TEXT,
  in: LIST,
  not_in: LIST,
  exists: SWITCH,
};

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function fault({ faults }: Reading, place: Place, message: string): Condition {
  faults.push({ pointer: pointerOf(place), code: "condition", message });
  return NOTHING;
}

export function valueAt(source: ScannedJson, place: Place): unknown {
  let value: unknown = source.value;
  for (const step of place) value = (value as Record<Step, unknown>)[step];
  return value;
}
