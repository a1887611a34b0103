import { pointerOf } from "../../lib/lib.ts";
import type { Violation, WorkBudget } from "../../lib/lib.ts";

/** The place of a value in the data, from the inside out. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** Checks a value and reports its violations to the run. */
export type Check = (value: unknown, place: Place | undefined, run: Run) => void;
export type Compile = (schema: unknown) => Check;

/** The check of one value. */
export class Run {
  violations: Violation[] = [];
  /** True while the result of a part only decides about another one, so that its violations are not shown. */
  isTrial = false;
  readonly #budget: WorkBudget;

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  spend(units: number): void {
    this.#budget.spend(units);
  }
}

/** The maximum number of violations of one value that are reported. */
export const MAX_VIOLATIONS = 100;
const HIDDEN: Violation = { pointer: "", code: "", message: "" };

export function fail(run: Run, place: Place | undefined, code: string, message: string): void {
  if (run.violations.length >= MAX_VIOLATIONS) return;
  run.violations.push(run.isTrial ? HIDDEN : { pointer: pointerTo(place), code, message });
}

/** Returns whether a value passes a check, without reporting its violations. */
export function passes(check: Check, value: unknown, run: Run): boolean {
  const { violations, isTrial } = run;
  run.violations = [];
  run.isTrial = true;
  check(value, undefined, run);
  const isPassed = run.violations.length === 0;
  run.violations = violations;
  run.isTrial = isTrial;
  return isPassed;
}

/** A longer pointer is cut at the end, because the names in it are the sender's. */
const MAX_POINTER = 512;

function pointerTo(place: Place | undefined): string {
  const steps: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) steps.push(at.key);
  const pointer = pointerOf(steps.toReversed());
  return pointer.length <= MAX_POINTER ? pointer : `${pointer.slice(0, MAX_POINTER).toWellFormed()}…`;
}
