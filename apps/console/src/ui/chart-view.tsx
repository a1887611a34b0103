import { scaleLinear, scalePoint } from "d3-scale";
import { area, line } from "d3-shape";
import { useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { Button } from "./button.tsx";
import { cx } from "./class-names.ts";
import type { ChartProps, ChartSeries } from "./chart.tsx";
import { Table } from "./table.tsx";

const INKS = ["var(--chart-1)", "var(--chart-2)", "var(--chart-3)"];
const TONES = { good: "var(--good)", warn: "var(--warn)", bad: "var(--bad)" };
/** The dashes distinguish the series without color. */
const DASHES = ["none", "5 3", "1.5 3"];
const MARGIN = { top: 8, right: 8, bottom: 22, left: 54 };
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 1, notation: "compact" });

/** A plot over time, readable by eye, by arrow keys, and as a table. */
export function ChartView({
  title,
  kind,
  at,
  series,
  format = (value) => plain.format(value),
  height = 180,
  atLeast = 0,
}: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-sm font-medium">{title}</span>
        <Button variant="quiet" size="sm" onPress={() => setAsTable(!asTable)}>
          {asTable ? "View as chart" : "View as table"}
        </Button>
      </figcaption>
      {asTable ? (
        <div style={{ maxHeight: height + 40 }} className="overflow-y-auto rounded-md border border-line">
          <Table
            label={title}
            rows={at.map((moment, index) => ({ moment, index }))}
            keyOf={(row) => row.moment}
            columns={[
              { header: "Time", cell: (row) => momentText(row.moment, at) },
              ...series.map((one) => ({
                header: one.name,
                align: "end" as const,
                cell: (row: { readonly index: number }) => valueText(one.values[row.index], format),
              })),
            ]}
          />
        </div>
      ) : (
        <Plot {...{ title, kind, at, series, format, height, atLeast }} />
      )}
    </figure>
  );
}

function Plot({ title, kind, at, series, format, height, atLeast }: Required<ChartProps>) {
  const [width, frame] = useWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const id = useId();
  const shown = chosen ?? at.length - 1;
  const x = scalePoint([...at], [MARGIN.left, Math.max(width - MARGIN.right, MARGIN.left + 1)]).padding(
    kind === "bar" ? 0.5 : 0,
  );
  const most = Math.max(atLeast, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const y = scaleLinear([0, most === 0 ? 1 : most], [height - MARGIN.bottom, MARGIN.top]).nice(4);
  const choose = (clientX: number, left: number): void => {
    const step = at.length > 1 ? (x(at[1] ?? "") ?? 0) - (x(at[0] ?? "") ?? 0) : 1;
    const index = Math.round((clientX - left - (x(at[0] ?? "") ?? 0)) / step);
    setChosen(Math.min(at.length - 1, Math.max(0, index)));
  };
  return (
    <div ref={frame} className="flex flex-col gap-1 [contain:inline-size]">
      <svg
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, at.length - 1)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={spoken(shown, at, series, format)}
        width={width}
        height={height}
        className="block rounded-md"
        onPointerMove={(event) => choose(event.clientX, event.currentTarget.getBoundingClientRect().left)}
        onPointerLeave={() => setChosen(null)}
        onKeyDown={(event) => setChosen(moved(event, shown, at.length) ?? chosen)}
      >
        {y.ticks(3).map((tick) => (
          <g key={tick}>
            <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end" className="tabular fill-muted text-2xs">
              {format(tick)}
            </text>
          </g>
        ))}
        {ticksOf(at, width).map((moment) => (
          <text key={moment} x={x(moment)} y={height - 6} textAnchor="middle" className="tabular fill-muted text-2xs">
            {momentText(moment, at)}
          </text>
        ))}
        {series.map((one, index) => (
          <Marks
            key={one.name}
            {...{ kind, at, x, y, values: one.values, id: `${id}-${index}`, index, of: series.length }}
            ink={inkOf(one, index)}
          />
        ))}
        {chosen === null ? null : (
          <line
            x1={x(at[chosen] ?? "")}
            x2={x(at[chosen] ?? "")}
            y1={MARGIN.top}
            y2={height - MARGIN.bottom}
            stroke="var(--faint)"
            strokeDasharray="2 2"
          />
        )}
      </svg>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-0.5 pl-2 text-xs text-muted">
        {series.map((one, index) => (
          <span key={one.name} className="inline-flex items-center gap-1.5">
            <svg aria-hidden width="16" height="4">
              <line
                x1="0"
                x2="16"
                y1="2"
                y2="2"
                stroke={inkOf(one, index)}
                strokeWidth="3"
                strokeDasharray={DASHES[index % 3]}
              />
            </svg>
            {one.name} <span className="tabular font-medium text-ink">{valueText(one.values[shown], format)}</span>
          </span>
        ))}
        <span className={cx("tabular", chosen === null && "text-faint")}>{momentText(at[shown] ?? "", at)}</span>
      </p>
    </div>
  );
}

interface MarksProps {
  readonly kind: ChartProps["kind"];
  readonly at: readonly string[];
  readonly x: (moment: string) => number | undefined;
  readonly y: (value: number) => number;
  readonly values: readonly (number | null)[];
  readonly id: string;
  readonly index: number;
  readonly of: number;
  readonly ink: string;
}

function inkOf({ tone }: ChartSeries, index: number): string {
  return tone === undefined ? (INKS[index % 3] ?? "currentColor") : TONES[tone];
}

function Marks({ kind, at, x, y, values, id, index, of, ink }: MarksProps) {
  const points = at.map((moment, step) => ({ moment, value: values[step] ?? null }));
  const horizontal = (point: (typeof points)[number]): number => x(point.moment) ?? 0;
  if (kind === "bar") {
    const gap = at.length > 1 ? (x(at[1] ?? "") ?? 0) - (x(at[0] ?? "") ?? 0) : 24;
    const width = Math.max(1, Math.min(28, gap * 0.7) / of);
    return points.map((point) => (
      <rect
        key={point.moment}
        x={horizontal(point) - (width * of) / 2 + index * width}
        y={y(point.value ?? 0)}
        width={width}
        height={Math.max(0, y(0) - y(point.value ?? 0))}
        rx={Math.min(2, width / 3)}
        fill={ink}
      />
    ));
  }
  const isDefined = (point: (typeof points)[number] | undefined): boolean => (point?.value ?? null) !== null;
  const path = line<(typeof points)[number]>()
    .defined(isDefined)
    .x(horizontal)
    .y((point) => y(point.value ?? 0))(points);
  const below = area<(typeof points)[number]>()
    .defined(isDefined)
    .x(horizontal)
    .y0(y(0))
    .y1((point) => y(point.value ?? 0))(points);
  const alone = points.filter(
    (point, step) => isDefined(point) && !isDefined(points[step - 1]) && !isDefined(points[step + 1]),
  );
  return (
    <>
      {alone.map((point) => (
        <circle key={point.moment} cx={horizontal(point)} cy={y(point.value ?? 0)} r="3" fill={ink} />
      ))}
      {kind === "area" ? (
        <>
          <linearGradient id={id} x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stopColor={ink} stopOpacity="0.22" />
            <stop offset="1" stopColor={ink} stopOpacity="0" />
          </linearGradient>
          <path d={below ?? ""} fill={`url(#${id})`} />
        </>
      ) : null}
      <path
        d={path ?? ""}
        fill="none"
        stroke={ink}
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
        strokeDasharray={DASHES[index % 3]}
      />
    </>
  );
}

function useWidth(): readonly [number, React.RefObject<HTMLDivElement | null>] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  // Before the first paint: a plot of 480 px is wider than a phone.
  useLayoutEffect(() => {
    if (frame.current === null) return undefined;
    setWidth(frame.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 480)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [width, frame];
}

function moved(event: KeyboardEvent, from: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    Home: 0,
    End: count - 1,
  };
  const next = steps[event.key];
  if (next === undefined) return undefined;
  event.preventDefault();
  return Math.min(count - 1, Math.max(0, next));
}

function spoken(
  index: number,
  at: readonly string[],
  series: readonly ChartSeries[],
  format: (value: number) => string,
): string {
  const values = series.map((one) => `${one.name} ${valueText(one.values[index], format)}`);
  return [momentText(at[index] ?? "", at), ...values].join(", ");
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

function ticksOf(at: readonly string[], width: number): string[] {
  const most = Math.max(2, Math.floor(width / 110));
  const every = Math.max(1, Math.ceil(at.length / most));
  return at.filter((_, index) => index % every === Math.floor(every / 2));
}

// The format is created once, because creating it takes longer than using it.
const HOUR = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

/** Returns the hour within two days, and the day beyond. */
function momentText(moment: string, at: readonly string[]): string {
  if (moment === "") return "";
  const span = Date.parse(at.at(-1) ?? moment) - Date.parse(at[0] ?? moment);
  return (span <= 2 * 86_400_000 ? HOUR : DAY).format(new Date(moment));
}
