import type { WorkBudget } from "../../lib/lib.ts";
import type { Fact } from "./facts.ts";
import { compareExact, isShort, readNumber } from "./number.ts";
import type { ExactNumber } from "./number.ts";

/** A value in a condition, and its spelling. */
export interface Operand {
  readonly value: unknown;
  readonly text: string;
  /** The exact value of a number that a double does not hold; undefined for others. */
  readonly exact: ExactNumber | undefined;
  /** The elements of a list. */
  readonly items: readonly Operand[];
}

interface Operator {
  /** Returns the requirement that `value` violates. Undefined if it is valid. */
  fault(value: unknown): string | undefined;
  /** Evaluates the operator, and charges the work. `fact` is undefined if the field does not exist. */
  holds(fact: Fact | undefined, operand: Operand, budget: WorkBudget): boolean;
}

const MAX_ITEMS = 100;
const MAX_TEXT = 1000;

// The price of the work, which `budget.test.ts` compares with the time that it takes.
/** Characters that are compared, or searched, for one unit. */
const COMPARED_PER_UNIT = 64;
/** Elements of a list that are compared for one unit. */
const ELEMENTS_PER_UNIT = 8;
/** Elements whose spelling is passed for one unit, and characters of the list. */
const PASSED_PER_UNIT = 3;
const PASSED_CHARS_PER_UNIT = 50;
/** Units to read the spelling of an element and to compare it. */
const EXACT_UNITS = 4;
const EXACT_CHARS_PER_UNIT = 16;

/**
 * The operators of leaves. Values are not converted: a text never equals a number, and values that cannot be compared are false.
 * Numbers are compared exactly, by their spelling. If the field does not exist, every operator is false except `ne`, `not_in`
 * and `exists: false`.
 */
export const operators: Readonly<Record<string, Operator>> = {
  eq: { fault: scalarFault, holds: isEqual },
  ne: { fault: scalarFault, holds: (fact, operand, budget) => !isEqual(fact, operand, budget) },
  gt: { fault: orderFault, holds: (fact, operand, budget) => (order(fact, operand, budget) ?? 0) > 0 },
  gte: { fault: orderFault, holds: (fact, operand, budget) => (order(fact, operand, budget) ?? -1) >= 0 },
  lt: { fault: orderFault, holds: (fact, operand, budget) => (order(fact, operand, budget) ?? 0) < 0 },
  lte: { fault: orderFault, holds: (fact, operand, budget) => (order(fact, operand, budget) ?? 1) <= 0 },
  in: { fault: listFault, holds: isIn },
  not_in: { fault: listFault, holds: (fact, operand, budget) => !isIn(fact, operand, budget) },
  contains: { fault: scalarFault, holds: contains },
  starts_with: {
    fault: textFault,
    holds: (fact, { value }, budget) => bothTexts(fact, value, (text, part) => startsWith(text, part, budget)),
  },
  ends_with: {
    fault: textFault,
    holds: (fact, { value }, budget) =>
      bothTexts(fact, value, (text, part) => {
        budget.spend(part.length / COMPARED_PER_UNIT);
        return text.endsWith(part);
      }),
  },
  exists: {
    fault: (value) => (value === undefined || typeof value === "boolean" ? undefined : "must be true or false"),
    holds: (fact, { value }) => (fact !== undefined) === (value !== false),
  },
};

/** Returns the exact value of a number that a double may not hold. */
export function exactOf(value: unknown, text: string): ExactNumber | undefined {
  return typeof value === "number" && !isShort(text) ? readNumber(text) : undefined;
}

function isEqual(fact: Fact | undefined, operand: Operand, budget: WorkBudget): boolean {
  if (fact === undefined || !isSame(fact.value, operand.value, budget)) return false;
  return typeof fact.value !== "number" || compareNumber(fact, operand, budget) === 0;
}

/** Compares values as doubles. Texts of different lengths differ without being read. */
function isSame(value: unknown, other: unknown, budget: WorkBudget): boolean {
  if (typeof value === "string" && typeof other === "string") {
    if (value.length !== other.length) return false;
    budget.spend(value.length / COMPARED_PER_UNIT);
  }
  return value === other;
}

/** Compares the exact values of a number and an operand that is one. */
function compareNumber(fact: Fact, operand: Operand, budget: WorkBudget): number | undefined {
  budget.spend(1);
  if (operand.exact === undefined && isShort(operand.text) && isShort(fact.text))
    return Number(fact.value) - Number(operand.value);
  return compareExact(fact.number, operand.exact ?? readNumber(operand.text));
}

/** Compares texts by code units, so that timestamps in one format are in order. */
function order(fact: Fact | undefined, operand: Operand, budget: WorkBudget): number | undefined {
  if (fact === undefined) return undefined;
  const { value } = operand;
  if (typeof fact.value === "number" && typeof value === "number") return compareNumber(fact, operand, budget);
  if (typeof fact.value !== "string" || typeof value !== "string") return undefined;
  budget.spend(Math.min(fact.value.length, value.length) / COMPARED_PER_UNIT);
  if (fact.value === value) return 0;
  return fact.value < value ? -1 : 1;
}

function isIn(fact: Fact | undefined, { items }: Operand, budget: WorkBudget): boolean {
  budget.spend(items.length / ELEMENTS_PER_UNIT);
  return items.some((item) => isEqual(fact, item, budget));
}

/** Tests for a part of a text, or for an element of a list. */
function contains(fact: Fact | undefined, operand: Operand, budget: WorkBudget): boolean {
  if (!Array.isArray(fact?.value)) return bothTexts(fact, operand.value, (text, part) => includes(text, part, budget));
  const list: readonly unknown[] = fact.value;
  budget.spend(list.length / ELEMENTS_PER_UNIT);
  if (typeof operand.value === "number") return containsNumber(fact, list, operand, budget);
  for (const one of list) if (isSame(one, operand.value, budget)) return true;
  return false;
}

/** Equal numbers are also equal as doubles. Most of a long list is therefore decided without its text. */
function containsNumber(fact: Fact, list: readonly unknown[], operand: Operand, budget: WorkBudget): boolean {
  let at = list.indexOf(operand.value);
  if (at === -1) return false;
  const { text } = fact;
  budget.spend(list.length / PASSED_PER_UNIT + text.length / PASSED_CHARS_PER_UNIT);
  const elementAt = fact.elements();
  const exact = operand.exact ?? readNumber(operand.text);
  for (; at !== -1; at = list.indexOf(operand.value, at + 1)) {
    budget.spend(EXACT_UNITS);
    const element = elementAt(at);
    if (element === operand.text) return true;
    budget.spend(element.length / EXACT_CHARS_PER_UNIT);
    if (compareExact(readNumber(element), exact) === 0) return true;
  }
  return false;
}

function bothTexts(fact: Fact | undefined, value: unknown, holds: (a: string, b: string) => boolean): boolean {
  return typeof fact?.value === "string" && typeof value === "string" && holds(fact.value, value);
}

function startsWith(text: string, part: string, budget: WorkBudget, from = 0): boolean {
  budget.spend(part.length / COMPARED_PER_UNIT);
  return text.startsWith(part, from);
}

/** The length up to which the runtime's search takes time in proportion to the text, for any text and part. */
const SEARCHED = 250;
/** The length below which the search compares at each place: an unlucky text takes 30 ns for a character. */
const SIMPLY_SEARCHED = 7;
const SIMPLY_PER_UNIT = 4;
const SEARCHED_PER_UNIT = 25;
/** Units to begin a search. */
const SEARCH_UNITS = 40;

/** Searches for the beginning of a long part, and compares the rest where it is found. */
function includes(text: string, part: string, budget: WorkBudget): boolean {
  budget.spend(text.length / (part.length < SIMPLY_SEARCHED ? SIMPLY_PER_UNIT : SEARCHED_PER_UNIT));
  if (part.length <= SEARCHED) return text.includes(part);
  const [head, rest] = [part.slice(0, SEARCHED), part.slice(SEARCHED)];
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    budget.spend(SEARCH_UNITS);
    if (startsWith(text, rest, budget, at + SEARCHED)) return true;
  }
  return false;
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
