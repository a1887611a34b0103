import type { wire } from "../../../api/api.ts";

/** Returns what starts the workflow: an event type, or a cron expression with its time zone. */
export function startOf({ trigger: { event, schedule } }: wire.Workflow): string {
  return schedule === undefined ? (event ?? "") : `${schedule.cron} ${schedule.time_zone ?? "UTC"}`;
}

/** The event that starts a run. */
export function eventOf({ trigger: { event } }: wire.Workflow): string {
  return event ?? "schedule.due";
}
