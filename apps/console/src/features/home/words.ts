import { numberText } from "../../shared/shared.ts";

/** "1 endpoint is failing", "12 endpoints are failing", "1,000+ …" where there are more than were counted. */
export function counted(count: number, one: string, many: string, isCapped = false): string {
  return `${numberText(count)}${isCapped ? "+" : ""} ${count === 1 ? one : many}`;
}

/** Milliseconds, as short as they can be said. */
export function millisecondsText(value: number): string {
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} s`;
}

/** Seconds in the largest unit that fits. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
