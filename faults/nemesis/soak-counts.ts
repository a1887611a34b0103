import type { Verdict } from "./checker.ts";

/** The counts of all runs of a soak. */
export interface SoakCounts {
  readonly runs: number;
  readonly events: number;
  readonly calls: number;
  readonly hits: number;
  readonly unknown: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly longestStallMs: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, number>>;
  /** The seeds that broke a promise. */
  readonly broken: readonly number[];
}

export const NO_RUNS: SoakCounts = {
  runs: 0,
  events: 0,
  calls: 0,
  hits: 0,
  unknown: 0,
  lost: 0,
  duplicates: 0,
  longestStallMs: 0,
  faults: {},
  operations: {},
  broken: [],
};

export function addRun(before: SoakCounts, seed: number, { broken, counts }: Verdict): SoakCounts {
  return {
    runs: before.runs + 1,
    events: before.events + counts.events,
    calls: before.calls + counts.calls,
    hits: before.hits + counts.hits,
    unknown: before.unknown + counts.unknown,
    lost: before.lost + counts.lost,
    duplicates: before.duplicates + counts.duplicates,
    longestStallMs: Math.max(before.longestStallMs, counts.longestStallMs),
    faults: sum(before.faults, counts.faults),
    operations: sum(before.operations, counts.operations),
    broken: broken.length === 0 ? before.broken : [...before.broken, seed],
  };
}

function sum(one: SoakCounts["faults"], other: SoakCounts["faults"]): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** A Markdown table. */
export function soakTable(counts: SoakCounts): string {
  const rows = [
    ["Accepted events", counts.events],
    ["Lost events", counts.lost],
    ["Calls", counts.calls],
    ["Operations without an answer", counts.unknown],
    ["Requests received", counts.hits],
    ["Repeated requests", counts.duplicates],
    ["Longest stall", `${(counts.longestStallMs / 1000).toFixed(1)} s`],
    ["Runs", counts.runs],
    [
      "Runs with a broken promise",
      counts.broken.length === 0 ? 0 : `${counts.broken.length} (seeds ${counts.broken.join(", ")})`,
    ],
    ...Object.entries(counts.faults).map(([kind, many]) => [`Fault \`${kind}\``, many]),
    ...Object.entries(counts.operations).map(([op, many]) => [`Operation \`${op}\``, many]),
  ].map((cells) => cells.map(String));
  const widths = [0, 1].map((column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? "").length), "Counted".length),
  );
  const line = ([what = "", value = ""]: readonly string[]): string =>
    `| ${what.padEnd(widths[0] ?? 0)} | ${value.padStart(widths[1] ?? 0)} |`;
  const rule = `| ${"-".repeat(widths[0] ?? 0)} | ${"-".repeat((widths[1] ?? 1) - 1)}: |`;
  return [line(["Counted", "Value"]), rule, ...rows.map(line)].join("\n");
}
