import type { Fact } from "./facts.ts";
import { compareNumbers } from "./number.ts";

/** A value in a condition, and its spelling. */
export interface Operand {
  readonly value: unknown;
  readonly text: string;
  /** The elements of a list. */
  readonly items: readonly Operand[];
}

interface Operator {
  /** Returns the requirement that `value` violates. Undefined if it is valid. */
  fault(value: unknown): string | undefined;
  /** Evaluates the operator. `fact` is undefined if the field does not exist. */
  holds(fact: Fact | undefined, operand: Operand): boolean;
}

const MAX_ITEMS = 100;
const MAX_TEXT = 1000;

/**
 * The operators of leaves. Values are not converted: a text never equals a number, and values that cannot be compared are false.
 * Numbers are compared exactly, by their spelling. If the field does not exist, every operator is false except `ne`, `not_in`
 * and `exists: false`.
 */
export const operators: Readonly<Record<string, Operator>> = {
  eq: { fault: scalarFault, holds: isEqual },
  ne: { fault: scalarFault, holds: (fact, operand) => !isEqual(fact, operand) },
  gt: { fault: orderFault, holds: (fact, operand) => (order(fact, operand) ?? 0) > 0 },
  gte: { fault: orderFault, holds: (fact, operand) => (order(fact, operand) ?? -1) >= 0 },
  lt: { fault: orderFault, holds: (fact, operand) => (order(fact, operand) ?? 0) < 0 },
  lte: { fault: orderFault, holds: (fact, operand) => (order(fact, operand) ?? 1) <= 0 },
  in: { fault: listFault, holds: isIn },
  not_in: { fault: listFault, holds: (fact, operand) => !isIn(fact, operand) },
  contains: { fault: scalarFault, holds: contains },
  starts_with: { fault: textFault, holds: (fact, { value }) => bothTexts(fact, value, (a, b) => a.startsWith(b)) },
  ends_with: { fault: textFault, holds: (fact, { value }) => bothTexts(fact, value, (a, b) => a.endsWith(b)) },
  exists: {
    fault: (value) => (value === undefined || typeof value === "boolean" ? undefined : "must be true or false"),
    holds: (fact, { value }) => (fact !== undefined) === (value !== false),
  },
};

function isEqual(fact: Fact | undefined, operand: Operand): boolean {
  return fact !== undefined && isSame(fact.value, () => fact.text, operand);
}

function isSame(value: unknown, text: () => string, operand: Operand): boolean {
  // Equal numbers are also equal as doubles. Most of a long list is therefore decided without its text.
  if (value !== operand.value) return false;
  return typeof value !== "number" || compareNumbers(text(), operand.text) === 0;
}

/** Compares texts by code units, so that timestamps in one format are in order. */
function order(fact: Fact | undefined, { value, text }: Operand): number | undefined {
  if (fact === undefined) return undefined;
  if (typeof fact.value === "number" && typeof value === "number") return compareNumbers(fact.text, text);
  if (typeof fact.value !== "string" || typeof value !== "string") return undefined;
  if (fact.value === value) return 0;
  return fact.value < value ? -1 : 1;
}

function isIn(fact: Fact | undefined, { items }: Operand): boolean {
  return items.some((item) => isEqual(fact, item));
}

/** Tests for a part of a text, or for an element of a list. */
function contains(fact: Fact | undefined, operand: Operand): boolean {
  if (!Array.isArray(fact?.value)) return bothTexts(fact, operand.value, (a, b) => a.includes(b));
  const list: readonly unknown[] = fact.value;
  return list.some((one, at) => isSame(one, () => fact.element(at), operand));
}

function bothTexts(fact: Fact | undefined, value: unknown, holds: (a: string, b: string) => boolean): boolean {
  return typeof fact?.value === "string" && typeof value === "string" && holds(fact.value, value);
}

function scalarFault(value: unknown): string | undefined {
  if (typeof value === "string") return textFault(value);
  return value === null || typeof value === "number" || typeof value === "boolean"
    ? undefined
    : "must be a string, a number, true, false or null";
}

function orderFault(value: unknown): string | undefined {
  return typeof value === "number" ? undefined : textFault(value, "must be a number or a string");
}

function textFault(value: unknown, message = "must be a string"): string | undefined {
  if (typeof value !== "string") return message;
  return value.length <= MAX_TEXT ? undefined : `must have at most ${MAX_TEXT} characters`;
}

function listFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ITEMS)
    return `must be a list of 1 to ${MAX_ITEMS} values`;
  const list: readonly unknown[] = value;
  return list.some((one) => scalarFault(one) !== undefined)
    ? `must be a list of strings of at most ${MAX_TEXT} characters, numbers, true, false and null`
    : undefined;
}
