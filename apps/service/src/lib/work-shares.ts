import type { Clock } from "./clock.ts";
import { createPauses } from "./pauses.ts";
import type { Pauses } from "./pauses.ts";
import { UNITS_PER_MS, WORK_MS, WorkBudget } from "./work-budget.ts";

const PIECE_UNITS = WORK_MS * UNITS_PER_MS;
/** The work of one owner in a second. After it, each piece has only what an ordinary one needs. */
const OWNER_UNITS = 50 * UNITS_PER_MS;
const LEAST_UNITS = UNITS_PER_MS / 5;
const MOST_OWNERS = 1000;

/**
 * The work of a batch, or of a worker, that several owners share, such as workspaces and tenants: none of them can hold up the others. An
 * owner that has used up its share gets it back within a second.
 */
export interface WorkShares extends Pauses {
  /** Returns the budget of an owner's next piece of work. Its use counts when the owner's next budget is asked for. */
  budgetOf(owner: string): WorkBudget;
}

interface Share {
  readonly budget: WorkBudget;
  /** The units for this budget and later ones of the owner. */
  readonly left: number;
  readonly given: number;
  readonly atMs: number;
}

export function createWorkShares(clock: Clock): WorkShares {
  const shares = new Map<string, Share>();
  const leftOf = ({ budget, left, given, atMs }: Share, now: number): number =>
    Math.min(OWNER_UNITS, left - given + Math.max(0, budget.left) + ((now - atMs) / 1000) * OWNER_UNITS);

  return {
    ...createPauses(clock),
    budgetOf(owner) {
      const now = clock.monotonicMs();
      const last = shares.get(owner);
      const left = last === undefined ? OWNER_UNITS : leftOf(last, now);
      const given = Math.min(PIECE_UNITS, Math.max(LEAST_UNITS, left));
      const budget = new WorkBudget(given);
      if (last === undefined && shares.size >= MOST_OWNERS)
        for (const [other, share] of shares) if (leftOf(share, now) >= OWNER_UNITS) shares.delete(other);
      shares.set(owner, { budget, left: Math.max(left, -OWNER_UNITS), given, atMs: now });
      return budget;
    },
  };
}
