import { WorkBudget } from "../../lib/lib.ts";
import type { ScannedJson, Steps } from "../../lib/lib.ts";
import { compareNumbers } from "./number.ts";

/** Units of a member or an element: its place in two texts, and the comparison. */
const MEMBER_UNITS = 12;
const STEPS_PER_UNIT = 4;
const CHARS_PER_UNIT = 16;

/**
 * Returns whether two JSON texts have the same values. Numbers are compared exactly; the order of members does not count. Throws
 * `TooExpensiveError` if the budget does not suffice.
 */
export function isSameJson(a: ScannedJson, b: ScannedJson, budget = new WorkBudget()): boolean {
  return a.text === b.text || isSameAt({ a, b, budget }, { left: a.value, right: b.value, at: [] });
}

interface Comparison {
  readonly a: ScannedJson;
  readonly b: ScannedJson;
  readonly budget: WorkBudget;
}

interface Pair {
  readonly left: unknown;
  readonly right: unknown;
  readonly at: Steps;
}

function isSameAt(comparison: Comparison, { left, right, at }: Pair): boolean {
  const { a, b, budget } = comparison;
  budget.spend(MEMBER_UNITS + at.length / STEPS_PER_UNIT);
  if (typeof left === "number" && typeof right === "number") {
    const [one, other] = [a.slice(at, budget) ?? "", b.slice(at, budget) ?? ""];
    budget.spend((one.length + other.length) / CHARS_PER_UNIT);
    return compareNumbers(one, other) === 0;
  }
  if (!isContainer(left) || !isContainer(right)) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [own, other] = [membersOf(left, budget), membersOf(right, budget)];
  return own.size === other.size && [...own].every(([step, one]) => isSameMember(step, one));

  function isSameMember(step: string | number, one: unknown): boolean {
    return other.has(step) && isSameAt(comparison, { left: one, right: other.get(step), at: [...at, step] });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the members by name, or the elements by index. */
function membersOf(container: object, budget: WorkBudget): ReadonlyMap<string | number, unknown> {
  if (Array.isArray(container)) {
    budget.spend(container.length);
    return new Map(container.map((one: unknown, at) => [at, one]));
  }
  const members = Object.entries(container);
  budget.spend(members.length);
  return new Map<string | number, unknown>(members);
}
