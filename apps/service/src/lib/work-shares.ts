import type { Clock } from "./clock.ts";
import { createPauses } from "./pauses.ts";
import type { Pauses } from "./pauses.ts";
import { UNITS_PER_MS, WORK_MS, WorkBudget } from "./work-budget.ts";

const PIECE_UNITS = WORK_MS * UNITS_PER_MS;
/** The work of one owner in a batch. After it, each piece has only what an ordinary one needs. */
const OWNER_UNITS = 50 * UNITS_PER_MS;
const LEAST_UNITS = UNITS_PER_MS / 2;

/** The work of a batch that several owners share, such as workspaces and tenants: none of them can hold up the batch. */
export interface WorkShares extends Pauses {
  /** Returns the budget of an owner's next piece of work. Its use counts when the owner's next budget is asked for. */
  budgetOf(owner: string): WorkBudget;
}

interface Share {
  readonly budget: WorkBudget;
  /** The units for this budget and later ones of the owner. */
  readonly left: number;
  readonly given: number;
}

export function createWorkShares(clock: Clock): WorkShares {
  const shares = new Map<string, Share>();
  return {
    ...createPauses(clock),
    budgetOf(owner) {
      const last = shares.get(owner);
      const left = last === undefined ? OWNER_UNITS : last.left - last.given + Math.max(0, last.budget.left);
      const given = Math.min(PIECE_UNITS, Math.max(LEAST_UNITS, left));
      const budget = new WorkBudget(given);
      shares.set(owner, { budget, left, given });
      return budget;
    },
  };
}
