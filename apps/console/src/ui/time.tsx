import { useSyncExternalStore } from "react";
import { HintTooltip } from "./tooltip.tsx";

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" });
const exact = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

/** Shows how long ago or how soon a moment is. Focus and hover show the moment itself in the person's own time zone. */
export function RelativeTime({ at }: { readonly at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-faint">Never</span>;
  const date = new Date(at);
  return (
    <HintTooltip text={absolute.format(date)}>
      <time dateTime={at} role="note" tabIndex={0} className="tabular whitespace-nowrap">
        {relativeText(date.getTime(), now)}
      </time>
    </HintTooltip>
  );
}

/** The moment to the millisecond, in the person's own zone. */
export function AbsoluteTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="tabular whitespace-nowrap">
      {exact.format(new Date(at))}
    </time>
  );
}

export function relativeText(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000);
  // A time to come is rounded: 7 days less a second are "in 7 days". A past one is that of its last full unit.
  const isAhead = seconds > 0;
  const reaches = (at: number, length: number): boolean =>
    Math.abs(seconds) >= length - (isAhead ? (UNITS[at + 1]?.[1] ?? 0) / 2 : 0);
  const [unit, size] = UNITS.find(([, length], at) => reaches(at, length)) ?? UNITS[5];
  // "in 23 hr" has no period, because it appears within sentences too.
  return relative.format(isAhead ? Math.round(seconds / size) : Math.trunc(seconds / size), unit).replaceAll(".", "");
}

/** Returns the time in milliseconds, updated once a second. The whole page has one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of watchers) one();
  }, 1000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
