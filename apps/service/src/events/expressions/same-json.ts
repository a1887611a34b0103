import type { ScannedJson, Steps } from "../../lib/lib.ts";
import { compareNumbers } from "./number.ts";

/** Returns whether two JSON texts have the same values. Numbers are compared exactly; the order of members does not count. */
export function isSameJson(a: ScannedJson, b: ScannedJson): boolean {
  return isSameAt(a, b, { left: a.value, right: b.value, at: [] });
}

interface Pair {
  readonly left: unknown;
  readonly right: unknown;
  readonly at: Steps;
}

function isSameAt(a: ScannedJson, b: ScannedJson, { left, right, at }: Pair): boolean {
  if (typeof left === "number" && typeof right === "number")
    return compareNumbers(a.slice(at) ?? "", b.slice(at) ?? "") === 0;
  if (!isContainer(left) || !isContainer(right)) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [own, other] = [membersOf(left), membersOf(right)];
  return own.size === other.size && [...own].every(([step, one]) => isSameMember(step, one));

  function isSameMember(step: string | number, one: unknown): boolean {
    return other.has(step) && isSameAt(a, b, { left: one, right: other.get(step), at: [...at, step] });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the members by name, or the elements by index. */
function membersOf(container: object): ReadonlyMap<string | number, unknown> {
  if (Array.isArray(container)) return new Map(container.map((one: unknown, at) => [at, one]));
  return new Map<string | number, unknown>(Object.entries(container));
}
