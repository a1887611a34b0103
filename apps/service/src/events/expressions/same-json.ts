import { isRecord } from "../../lib/lib.ts";
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
  if (Array.isArray(left) && Array.isArray(right)) {
    const list: readonly unknown[] = right;
    return (
      left.length === list.length &&
      left.every((one: unknown, index) => isSameAt(a, b, { left: one, right: list[index], at: [...at, index] }))
    );
  }
  if (Array.isArray(left) || Array.isArray(right) || !isRecord(left) || !isRecord(right)) return left === right;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) =>
        Object.hasOwn(right, name) && isSameAt(a, b, { left: left[name], right: right[name], at: [...at, name] }),
    )
  );
}
