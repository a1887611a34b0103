/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** How it stands to another figure of the same run. */
  readonly ratio?: { readonly value: number; readonly to: string };
  /** What we promise; judged against the ratio where `of` says so. */
  readonly goal?: { readonly atLeast?: number; readonly atMost?: number; readonly of?: "ratio" };
  /** The load that was measured, where the same is measured with several: they are columns of one table. */
  readonly load?: string;
}

export interface Bench {
  /** How long one measurement lasts. */
  readonly seconds: number;
  /** The sizes that the goals name, instead of those that fit a coffee break. */
  readonly full: boolean;
  /** Also writes down where the service's time goes. */
  readonly profile: boolean;
  /** What earlier scenarios of this run found. */
  readonly found: { ceiling?: number; fireCeiling?: number; custom?: number };
  /** Measurements in which other programs, or the host's other machines, took more than a tenth of the processor time, or the bench itself was a bound. */
  readonly disturbed: string[];
  say(line: string): void;
}

export interface Scenario {
  readonly name: string;
  run(bench: Bench): Promise<Row[]>;
}
