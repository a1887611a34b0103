import type { Option } from "./choice.tsx";

/** Options of a time filter. The URL keeps a duration, so that a link that is opened tomorrow shows tomorrow's last day. */
export const timeRanges: readonly Option[] = [
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the start of a range, to the minute. A moment in RFC 3339 stays as it is; any other text is undefined. */
export function rangeStart(range: string | undefined, nowMs: number = Date.now()): string | undefined {
  const match = /^(\d+)([mhd])$/.exec(range ?? "");
  const unit = UNITS[match?.[2] ?? ""];
  if (match !== null && unit !== undefined) {
    const at = nowMs - Number(match[1]) * unit;
    return new Date(at - (at % 60_000)).toISOString();
  }
  const given = Date.parse(range ?? "");
  return Number.isNaN(given) ? undefined : new Date(given).toISOString();
}
