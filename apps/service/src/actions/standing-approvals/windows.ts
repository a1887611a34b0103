import { instantOfLocalTime, localTimeOf } from "../../lib/lib.ts";
import type { Instant, LocalTime } from "../../lib/lib.ts";

export const WINDOW_UNITS = ["hour", "day"] as const;
export type WindowUnit = (typeof WINDOW_UNITS)[number];

/** The hour or the day in which a standing approval counts. It includes its start and not its end. */
export interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

const MS: Readonly<Record<WindowUnit, number>> = { hour: 3_600_000, day: 86_400_000 };

/**
 * Returns the window of a time on the clocks of a zone. An hour that the clocks show twice is one window, so that a change of
 * the clocks never allows more.
 */
export function windowOf(now: Instant, unit: WindowUnit, zone: string): Window {
  const length = MS[unit];
  const start = Math.floor(localTimeOf(now, zone) / length) * length;
  return {
    start: instantOfLocalTime(start as LocalTime, zone),
    end: instantOfLocalTime((start + length) as LocalTime, zone),
  };
}
