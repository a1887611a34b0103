/** The time ranges in which an endpoint may have missed events, in days. */
export const RANGES = [
  { value: "0.0417", label: "The last hour" },
  { value: "1", label: "The last 24 hours" },
  { value: "7", label: "The last 7 days" },
  { value: "30", label: "The last 30 days" },
] as const;
export const USUAL_DAYS = 7;
/** The choice of the time in which the endpoint was off. */
export const WHILE_OFF = "off";
/** An event that was being committed when the endpoint was turned off may have an earlier time. */
const MARGIN_MS = 60_000;
const DAY_MS = 86_400_000;

/** Returns the moment from which an endpoint may have missed events. Undefined if it is not known since when it was off. */
export function offSince(since: string | null | undefined): string | undefined {
  return typeof since === "string" ? new Date(Date.parse(since) - MARGIN_MS).toISOString() : undefined;
}

/** Returns the moment so many days ago, or before another moment. */
export function daysAgo(days: number, before = Date.now()): string {
  return new Date(before - days * DAY_MS).toISOString();
}
