import type { Db, Tx } from "../../platform/db/db.ts";
import { fromDate, ServiceError, tagOf, toLocalRfc3339, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Environment, Instant, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { scheduleOf } from "./due.ts";
import { occurrenceAfter, occurrencesAfter } from "./schedule.ts";
import type { Schedule } from "./schedule.ts";
import { currentTime, deleteSchedule, findSchedule, putSchedule } from "./schedules.store.ts";
import type { ScheduleRow } from "./schedules.store.ts";

export { readSchedule } from "./schedule.ts";
export type { Schedule } from "./schedule.ts";
export { countOverdue } from "./schedules.store.ts";
export { createScheduleWorker } from "./schedules.worker.ts";

/** A workflow that was saved in the same transaction. */
export interface SavedWorkflow {
  readonly id: Uuid;
  readonly enabled: boolean;
  /** The environment in which it fires. */
  readonly author_environment: string;
}

/**
 * Saves the schedule of a workflow. Null: an event starts it, or it is deleted. A disabled workflow has no next occurrence,
 * so that none is missed until it is enabled.
 */
export async function saveSchedule(
  tx: Tx,
  scope: Scope,
  saved: SavedWorkflow,
  schedule: Schedule | null,
): Promise<void> {
  const key = { bucket: scope.bucket, workspace_id: scope.workspaceId, workflow_id: saved.id };
  if (schedule === null) {
    await deleteSchedule(tx.query, key);
    return;
  }
  const { cron, timeZone, missed } = schedule;
  const next = saved.enabled ? occurrenceAfter(schedule, await currentTime(tx)) : undefined;
  const row = { ...key, environment: saved.author_environment, cron, time_zone: timeZone, missed };
  await putSchedule(tx, row, next);
}

/** The number of coming occurrences that are shown. */
const SHOWN = 5;

/** Returns the schedule of a workflow, with its coming and its last occurrences. Throws 404 if an event starts it. */
export async function showSchedule(db: Db, scope: Scope, workflowId: Uuid): Promise<ScheduleView> {
  const key = { bucket: scope.bucket, workspace_id: scope.workspaceId, workflow_id: workflowId };
  const row = await findSchedule(db.query, key);
  if (row === undefined)
    throw new ServiceError("not_found", { detail: "The workflow has no schedule: an event starts it." });
  return scheduleView(scope, row, await db.now());
}

export type ScheduleView = ReturnType<typeof scheduleView>;

function scheduleView(scope: Scope, row: ScheduleRow, now: Instant) {
  const live = tagOf(scope.tag, "live");
  const environment: Environment = row.environment === "sandbox" ? "sandbox" : "live";
  const schedule = scheduleOf(row);
  const timeOf = (at: Instant) => ({ at: toRfc3339(at), local: toLocalRfc3339(at, schedule.timeZone) });
  return {
    object: "workflow_schedule" as const,
    workflow_id: wireId("wf", live, row.workflow_id),
    cron: row.cron,
    time_zone: row.time_zone,
    missed: schedule.missed,
    enabled: row.next_at !== null,
    next: row.next_at === null ? [] : occurrencesAfter(schedule, now, SHOWN).map(timeOf),
    last_fired:
      row.fired_at === null || row.fired_event === null
        ? null
        : { ...timeOf(fromDate(row.fired_at)), event_id: wireId("evt", tagOf(live, environment), row.fired_event) },
    skipped:
      row.skipped_from === null || row.skipped_until === null
        ? null
        : { count: row.skipped, first: timeOf(fromDate(row.skipped_from)), last: timeOf(fromDate(row.skipped_until)) },
    ...scopeFields({ ...scope, tag: tagOf(live, environment), environment }),
  };
}
