import { UsageError } from "../../../packages/command-line/src/command-line.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads RFC 3339, or a duration before now: 90s, 10m, 2h, 7d. */
export function readTime(text: string): Date {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const date = amount === undefined ? new Date(text) : new Date(Date.now() - Number(amount) * (UNITS[unit] ?? 0));
  if (Number.isNaN(date.getTime()))
    throw new UsageError(
      "A time must be in RFC 3339 format, such as 2026-11-21T13:00:00Z, or an age: 90s, 10m, 2h, 7d.",
    );
  return date;
}
