/** A fault that is done to real processes under load, and what must hold then. */
export interface Experiment {
  readonly name: string;
  /** What is done, for the page: a sentence without its dot. */
  readonly done: string;
  /** What is promised whatever happens, for the page. */
  readonly promised: string;
  run(faults: Faults): Promise<Finding>;
}

export interface Faults {
  /** The lengths and counts that the promises name, instead of those that fit a test. */
  readonly full: boolean;
}

/** What an experiment found. Every promise that was broken is named; none is: it held. */
export interface Outcome {
  /** What was done in this run: how often, for how long. */
  readonly what: string;
  /** Events that were answered 202. */
  readonly accepted: number;
  /** Those of them that arrived. */
  readonly delivered: number;
  readonly lost: number;
  /** Further arrivals of a delivery: at-least-once allows them. */
  readonly duplicates: number;
  /** The longest time in which no event was accepted although clients tried, seconds. */
  readonly longestStallS: number;
  readonly broken: readonly string[];
}

/** Why it could not be done here. */
export interface Skipped {
  readonly skipped: string;
}

export type Finding = Outcome | Skipped;

export function isSkipped(finding: Finding): finding is Skipped {
  return "skipped" in finding;
}
