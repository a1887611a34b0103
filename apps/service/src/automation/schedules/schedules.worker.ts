import type { Db, Tx } from "../../platform/db/db.ts";
import { findEvents } from "../../events/events.ts";
import type { Events } from "../../events/events.ts";
import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { dueOf } from "./due.ts";
import { dueBuckets, holdDue, moveSchedules, postponeSchedule } from "./schedules.store.ts";
import type { DueSchedule } from "./schedules.store.ts";

export interface ScheduleWorkerDeps {
  readonly db: Db;
  readonly log: Log;
  readonly events: Pick<Events, "fireWithin">;
}

const IDLE_MS = 5000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** The maximum number of schedules in one transaction, which is short enough for the edits that wait for it. */
const TOGETHER = 200;
const RETRY_SECONDS = 60;

/** Fires `schedule.due` for each occurrence of a schedule. The runs start as the event's reactions. */
export function createScheduleWorker(deps: ScheduleWorkerDeps): Loop {
  return createLoop({
    async round(stopping) {
      const heads = await dueBuckets(deps.db);
      let fired = 0;
      for (const { bucket, due_in_ms: dueInMs } of heads) {
        if (dueInMs > 0 || stopping.aborted) continue;
        fired += await deps.db.at(bucket, async () => await fireDue(deps, bucket, TOGETHER));
      }
      if (fired > 0) return MIN_PAUSE_MS;
      return heads.reduce((least, head) => Math.min(least, Math.max(MIN_PAUSE_MS, head.due_in_ms)), IDLE_MS);
    },
    failed(error) {
      deps.log.warn({ err: error }, "failed to fire schedules; retrying");
      return AFTER_ERROR_MS;
    },
  });
}

/**
 * Fires due schedules of one bucket in one transaction, and returns their number. If it fails, fewer are tried, and one
 * that fails alone is tried again later, so that it does not stop the others.
 */
async function fireDue(deps: ScheduleWorkerDeps, bucket: number, limit: number): Promise<number> {
  let held: readonly DueSchedule[] = [];
  try {
    return await deps.db.transaction(async (tx) => {
      held = await holdDue(tx, bucket, limit);
      if (held.length > 0) await fire(deps, tx, held);
      return held.length;
    });
  } catch (error) {
    const [first] = held;
    if (first === undefined) throw error;
    if (held.length > 1) return await fireDue(deps, bucket, Math.ceil(held.length / 2));
    deps.log.warn({ err: error, workflow: first.workflow_id }, "failed to fire a schedule; it is tried again in a minute");
    await postponeSchedule(deps.db, first, RETRY_SECONDS);
    return 1;
  }
}

async function fire({ events }: ScheduleWorkerDeps, tx: Tx, rows: readonly DueSchedule[]): Promise<void> {
  const dues = rows.map(dueOf);
  const drafts = dues.flatMap((due) => due.drafts);
  // After the clock was set back, an edited schedule can name an occurrence that was fired.
  const places = drafts.map(({ scope, id }) => ({ tag: scope.tag, id }));
  const known = await findEvents(tx.query, rows[0]?.bucket ?? 0, places);
  const fired = new Set(known.map(({ id }) => id));
  await events.fireWithin(
    tx,
    drafts.filter(({ id }) => !fired.has(id)),
  );
  await moveSchedules(
    tx,
    dues.map(({ moved }) => moved),
  );
}
