import type { Db, Tx } from "../../platform/db/db.ts";
import { findEvents } from "../../events/events.ts";
import type { Events } from "../../events/events.ts";
import type { Loop } from "../../lib/lib.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import { dueOf } from "./due.ts";
import { dueBuckets, holdDue, moveSchedules, postponeSchedule } from "./schedules.store.ts";
import type { DueSchedule } from "./schedules.store.ts";

export interface ScheduleWorkerDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  readonly events: Pick<Events, "fireWithin">;
}

/** Few enough for the edits that wait for the transaction. */
const TOGETHER = 200;
const RETRY_SECONDS = 60;

/** Fires `schedule.due` for each occurrence of a schedule. The runs start as the event's reactions. */
export function createScheduleWorker(deps: ScheduleWorkerDeps): Loop {
  return deps.tasks.defineShort({
    kind: "schedules",
    together: TOGETHER,
    buckets: dueBuckets,
    hold: holdDue,
    work: async (tx, rows) => await fire(deps, tx, rows),
    postpone: async (row) => await postponeSchedule(deps.db, row, RETRY_SECONDS),
  });
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
