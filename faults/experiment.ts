/** A fault that is done to real processes under load, and what must hold then. */
export interface Experiment {
  readonly name: string;
  /** The fault, for the page: a sentence without its period. */
  readonly done: string;
  /** The promise that must hold, for the page. */
  readonly promised: string;
  run(faults: Faults): Promise<Finding>;
}

export interface Faults {
  /** The lengths and counts that the promises name, instead of those that fit a test. */
  readonly full: boolean;
}

/** Result of an experiment. It names every broken promise. An experiment without broken promises held. */
export interface Outcome {
  /** The extent of the fault in this run: how often, for how long. */
  readonly what: string;
  /** Events that were answered 202. */
  readonly accepted: number;
  /** Accepted events that arrived. */
  readonly delivered: number;
  readonly lost: number;
  /** Further arrivals of a delivery: at-least-once allows them. */
  readonly duplicates: number;
  /** The longest time in which no event was accepted although clients tried, seconds. */
  readonly longestStallS: number;
  readonly broken: readonly string[];
}

/** The reason why the experiment could not run on this machine. */
export interface Skipped {
  readonly skipped: string;
}

export type Finding = Outcome | Skipped;

export function isSkipped(finding: Finding): finding is Skipped {
  return "skipped" in finding;
}
