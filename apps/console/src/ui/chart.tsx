import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Skeleton } from "./states.tsx";

export interface ChartSeries {
  readonly name: string;
  /** One for each of `at`; null where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** The state that the series counts, in the colour of its lights. Default: the next colour of the chart. */
  readonly tone?: "good" | "warn" | "bad";
}

export interface ChartProps {
  /** Title with the unit: "Accept to acknowledgement, ms". */
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

/** The chart loads half a screen before the user reaches it. */
const NEAR = "50%";
/** The code of the chart is larger than most screens, so the rest of the page does not wait for it. */
const ChartView = lazy(async () => ({ default: (await import("./chart-view.tsx")).ChartView }));

/** A plot over time, readable by eye, by arrow keys, and as a table. It is drawn when the page is scrolled near to it. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place);
  return (
    <div ref={place} className="min-h-40 min-w-0">
      {isNear ? (
        <Suspense fallback={<Skeleton label={`Loading the chart: ${props.title}`} lines={6} />}>
          <ChartView {...props} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Returns true once an element has been in sight, or almost. */
function useNear(place: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return undefined;
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setNear(true);
        seen.disconnect();
      },
      { rootMargin: NEAR },
    );
    seen.observe(place.current);
    return () => seen.disconnect();
  }, [place]);
  return isNear;
}
