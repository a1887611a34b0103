import { childrenOf, parseNameless, spanFrom, wholeSpan, WorkBudget } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { compareNumbers } from "./number.ts";

const VALUE_UNITS = 5;
const CHARS_PER_UNIT = 16;

/**
 * Returns whether two JSON texts have the same values. Numbers are compared exactly; the order of members does not count. Throws
 * `TooExpensiveError` if the budget does not suffice.
 */
export function isSameJson(
  { text: a }: Pick<ScannedJson, "text">,
  { text: b }: Pick<ScannedJson, "text">,
  budget = new WorkBudget(),
): boolean {
  return a === b || isSameAt({ a, b, budget }, wholeSpan(a).start, wholeSpan(b).start);
}

interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly budget: WorkBudget;
}

/** Compares the values that begin at these offsets. */
function isSameAt(comparison: Comparison, left: number, right: number): boolean {
  const { a, b, budget } = comparison;
  budget.spend(VALUE_UNITS);
  const [kind, other] = [kindAt(a, left), kindAt(b, right)];
  if (kind !== other) return false;
  if (kind !== "{" && kind !== "[") return isSameScalar(comparison, left, right);
  const [own, others] = [childrenOf(a, left, budget), childrenOf(b, right, budget)];
  if (own instanceof Map && others instanceof Map)
    return own.size === others.size && [...own].every(([name, at]) => isSameChild(comparison, at, others.get(name)));
  const [list, otherList] = [own as readonly number[], others as readonly number[]];
  return list.length === otherList.length && list.every((at, index) => isSameChild(comparison, at, otherList[index]));
}

function isSameChild(comparison: Comparison, left: number, right: number | undefined): boolean {
  return right !== undefined && isSameAt(comparison, left, right);
}

function isSameScalar({ a, b, budget }: Comparison, left: number, right: number): boolean {
  const [one, other] = [textAt(a, left), textAt(b, right)];
  budget.spend((one.length + other.length) / CHARS_PER_UNIT);
  if (one === other) return true;
  return kindAt(one, 0) === '"' ? parseNameless(one) === parseNameless(other) : compareNumbers(one, other) === 0;
}

function textAt(text: string, at: number): string {
  const { start, end } = spanFrom(text, at);
  return text.slice(start, end);
}

/** Returns the first character of a value; for all numbers the same. */
function kindAt(text: string, at: number): string {
  const first = text.charAt(at);
  return first === "-" || (first >= "0" && first <= "9") ? "0" : first;
}
