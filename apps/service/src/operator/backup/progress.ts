/** The progress of a long task. `total` can be an estimate that `done` exceeds; 0 means that it is unknown. */
export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export type TellProgress = (progress: Progress) => void;
