import { UsageError } from "../../../packages/command-line/src/command-line.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads RFC 3339, or a duration before now: 90s, 10m, 2h, 7d. */
export function readTime(text: string): Date {
  const ms = durationMs(text);
  const date = ms === undefined ? new Date(text) : new Date(Date.now() - ms);
  if (Number.isNaN(date.getTime()))
    throw new UsageError(
      "A time must be in RFC 3339 format, such as 2026-11-21T13:00:00Z, or an age: 90s, 10m, 2h, 7d.",
    );
  return date;
}

/** Reads a duration such as 90s, 10m or 2h. Returns seconds. `option` is the name in the message. */
export function readSeconds(text: string, option: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new UsageError(`--${option} must be a duration: 90s, 10m, 2h, 1d.`);
  return ms / 1000;
}

function durationMs(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0);
}
