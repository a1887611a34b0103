import { t } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** The waits after attempts 1 to n, in milliseconds. There is no wait after the last attempt: its failure is final. */
export type RetrySchedule = readonly number[];

const DAY_SECONDS = 86_400;
const MOST_WAITS = 20;
const MOST_DAYS = 7;

/** The endpoint's own waits. */
export const RetryScheduleView = t.Nullable(
  t.Array(t.Integer({ minimum: 1, maximum: DAY_SECONDS, examples: [60] }), {
    minItems: 1,
    maxItems: MOST_WAITS,
    description:
      "The wait after each failed attempt of a delivery, in seconds: 1 to 20 waits of 1 second to 24 hours, together at most 7 days. If the attempt after the last wait fails too, the delivery fails. A change applies to pending deliveries from their next attempt. Null: the schedule of the installation.",
    examples: [[60, 300, 1800]],
  }),
);

/** Returns the fault of waits that are longer together than they may be, or than the events are kept. */
export function scheduleFaults(waits: readonly number[] | null | undefined, retentionDays: number): Violation[] {
  const total = (waits ?? []).reduce((sum, wait) => sum + wait, 0);
  if (total > MOST_DAYS * DAY_SECONDS)
    return [
      {
        pointer: "/retry_schedule",
        code: "too_long",
        message: `must be at most ${MOST_DAYS} days together; these waits are ${total} seconds`,
      },
    ];
  if (total < retentionDays * DAY_SECONDS) return [];
  const message = `must be shorter together than ${retentionDays} days, for which this installation keeps events: later attempts would have nothing to send`;
  return [{ pointer: "/retry_schedule", code: "retention", message }];
}

/** Returns the endpoint's own waits in milliseconds; null if it has none. */
export function ownSchedule({ retry_schedule: waits }: Pick<EndpointRow, "retry_schedule">): RetrySchedule | null {
  return waits === null ? null : waits.map((seconds) => seconds * 1000);
}

export function waitsInSeconds(schedule: RetrySchedule): number[] {
  return schedule.map((waitMs) => waitMs / 1000);
}
