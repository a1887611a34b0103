/** How far long work has come. `done` may pass `total`, which is an estimate where `isEstimate`. */
export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export type TellProgress = (progress: Progress) => void;
