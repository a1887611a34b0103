import { isRecord } from "../../lib/lib.ts";
import type { Step } from "./step.ts";

/** Returns the lists of steps inside a step: the branches of `parallel`, or the steps of `for_each`. */
export function innerLists(step: Step): readonly (readonly Step[])[] {
  if (step.type === "parallel") return step.branches;
  return step.type === "for_each" ? [step.steps] : [];
}

/** Returns steps with all steps inside them, each followed by those inside it. */
export function stepsOf(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...innerLists(step).flatMap((list) => stepsOf(list))]);
}

/** A list of steps as it was written, and its place in the step that contains it. */
export interface WrittenList {
  readonly place: readonly (string | number)[];
  readonly items: readonly unknown[];
}

/** Returns the lists of steps inside a step as it was written. See `innerLists`. */
export function writtenLists(step: unknown): readonly WrittenList[] {
  if (!isRecord(step)) return [];
  const { type, branches, steps } = step;
  if (type === "for_each") return Array.isArray(steps) ? [{ place: ["steps"], items: steps }] : [];
  if (type !== "parallel" || !Array.isArray(branches)) return [];
  return branches.flatMap((items: unknown, at) => (Array.isArray(items) ? [{ place: ["branches", at], items }] : []));
}
