import type { Violation, WorkBudget } from "../../lib/lib.ts";
import { identityOf } from "./data-value.ts";
import { shortPointer } from "./pointer.ts";

/** The place of a value in the data, from the inside out. */
export interface DataPlace {
  readonly parent: DataPlace | undefined;
  readonly key: string | number;
}

/** Checks a value and reports its violations to the run. */
export type Check = (value: unknown, place: DataPlace | undefined, run: Run) => void;
export type Compile = (schema: unknown) => Check;

/** The check of one value. */
export class Run {
  readonly violations: Violation[] = [];
  /** True while the result of a part only decides about another one, so that its violations are not shown. */
  isTrial = false;
  /** True once a part of the current trial has not passed. */
  isFailed = false;
  readonly #budget: WorkBudget;
  #identities: Map<object, string> | undefined;

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  spend(units: number): void {
    this.#budget.spend(units);
  }

  /** Returns the identity of a value. That of an object or list is made once, because many branches may ask for it. */
  identityOf(value: unknown): string {
    if (typeof value !== "object" || value === null) return identityOf(value, this.#budget);
    this.#budget.spend(1);
    const known = this.#identities?.get(value);
    if (known !== undefined) return known;
    const identity = identityOf(value, this.#budget);
    this.#identities ??= new Map();
    this.#identities.set(value, identity);
    return identity;
  }
}

/** The maximum number of violations of one value that are reported. */
export const MAX_VIOLATIONS = 100;
/** Units for a violation that is shown, whose pointer is made. */
const SHOWN = 20;

export function fail(run: Run, place: DataPlace | undefined, code: string, message: string): void {
  run.isFailed = true;
  if (run.isTrial || run.violations.length >= MAX_VIOLATIONS) return;
  run.spend(SHOWN);
  run.violations.push({ pointer: pointerTo(place), code, message });
}

/** Returns whether a value passes a check, without reporting its violations. */
export function passes(check: Check, value: unknown, run: Run): boolean {
  run.spend(TRIAL);
  const { isTrial, isFailed } = run;
  run.isTrial = true;
  run.isFailed = false;
  check(value, undefined, run);
  const isPassed = !run.isFailed;
  run.isTrial = isTrial;
  run.isFailed = isFailed;
  return isPassed;
}

const TRIAL = 0.3;

function pointerTo(place: DataPlace | undefined): string {
  const steps: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) steps.push(at.key);
  return shortPointer(steps.toReversed());
}
