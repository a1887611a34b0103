/** Thrown when work costs more than its budget. The giver of the budget catches it and says what its object does then. */
export class TooExpensiveError extends Error {
  override readonly name = "TooExpensiveError";
}

/** Units of a millisecond: one unit is about a hundred nanoseconds of one processor. `work-budget` tests hold each reader to that. */
export const UNITS_PER_MS = 10_000;

/** The longest that one piece of work may hold the event loop for the text of a customer. */
export const WORK_MS = 20;

/**
 * The price of work that a customer's text decides: schemas, conditions, templates, paths, patterns, bodies. The work is charged before it
 * is done, so that an input that is too expensive costs no more than its budget.
 */
export class WorkBudget {
  #left: number;
  readonly #whole: WorkBudget | undefined;

  /** `whole`: a budget of several pieces of work, which this piece is charged to as well. */
  constructor(units: number = WORK_MS * UNITS_PER_MS, whole?: WorkBudget) {
    this.#left = units;
    this.#whole = whole;
  }

  /** True once the budget did not suffice. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** The units that are not spent. Below zero after the work was refused. */
  get left(): number {
    return this.#left;
  }

  /** Charges work that is about to be done. Throws `TooExpensiveError` when the budget does not suffice. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooExpensiveError();
    this.#whole?.spend(units);
  }
}
