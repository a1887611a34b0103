import { lazy, Suspense } from "react";
import { Skeleton } from "./states.tsx";

export interface ChartSeries {
  readonly name: string;
  /** One for each of `at`; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** What is shown, with its unit: "Accept to acknowledgement, ms". */
  readonly title: string;
  readonly kind: "line" | "area" | "bar";
  /** Moments in RFC 3339, evenly spaced, oldest first. */
  readonly at: readonly string[];
  /** Up to three. */
  readonly series: readonly ChartSeries[];
  /** A value with its unit, as in the legend and the table. */
  readonly format?: (value: number) => string;
  readonly height?: number;
  /** The axis reaches at least up to here: 1 for a rate. */
  readonly atLeast?: number;
}

/** What draws it weighs more than most screens, and what stands beside it need not wait. */
const ChartView = lazy(async () => ({ default: (await import("./chart-view.tsx")).ChartView }));

/** A plot over time, readable by eye, by arrow keys, and as a table. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton label={`Loading the plot: ${props.title}`} lines={6} />}>
      <ChartView {...props} />
    </Suspense>
  );
}
