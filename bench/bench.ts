/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The value relative to another figure of the same run. */
  readonly ratio?: { readonly value: number; readonly to: string };
  /** The promised bound. It applies to the ratio where `of` says so. */
  readonly goal?: { readonly atLeast?: number; readonly atMost?: number; readonly of?: "ratio" };
  /** The measured load, if the same figure is measured with several loads. Loads are columns of one table. */
  readonly load?: string;
}

interface RowOptions extends Pick<Row, "ratio" | "goal" | "load"> {
  /** Another figure of the same run and its name, from which the ratio follows. Without the figure, the line has none. */
  readonly against?: readonly [figure: number | undefined, to: string];
}

/** Returns one line of the table. */
export function row(what: string, value: number, unit: string, options: RowOptions = {}): Row {
  const { against: [figure, to] = [undefined, ""], ...more } = options;
  return { what, value, unit, ...(figure === undefined ? {} : { ratio: { value: value / figure, to } }), ...more };
}

export interface Bench {
  /** Duration of one measurement. */
  readonly seconds: number;
  /** Uses the sizes that the goals name, instead of short ones. */
  readonly full: boolean;
  /** Also writes down where the service's time goes. */
  readonly profile: boolean;
  /** Results of earlier scenarios of this run. */
  readonly found: { ceiling?: number; fireCeiling?: number; custom?: number };
  /** Measurements in which other programs or the host's other machines took more than a tenth of the processor time, or in which the bench itself was the limit. */
  readonly disturbed: string[];
  say(line: string): void;
}

export interface Scenario {
  readonly name: string;
  /** The parts that it leaves running are stopped after it. */
  run(bench: Bench): Promise<Row[]>;
}
