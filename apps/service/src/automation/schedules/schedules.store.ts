import { columnOf, countOnShards } from "../../platform/db/db.ts";
import { dueBucketsOf } from "../../platform/tasks/tasks.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { fromDate, toDate } from "../../lib/lib.ts";
import type { Instant, Tag } from "../../lib/lib.ts";

export type ScheduleRow = Selectable<Tables["workflow_schedule"]>;

/** The workflow that a schedule belongs to. */
export type ScheduleKey = Pick<ScheduleRow, "bucket" | "workspace_id" | "workflow_id">;

export type ScheduleInsert = ScheduleKey & Pick<ScheduleRow, "environment" | "cron" | "time_zone" | "missed">;

/** Writes a workflow's schedule. An occurrence that is due stays so, unless the times changed or the workflow was disabled. */
export async function putSchedule(tx: Tx, row: ScheduleInsert, next: Instant | undefined): Promise<void> {
  const nextAt = next === undefined ? null : toDate(next);
  await tx.query
    .insertInto("workflow_schedule")
    .values({ ...row, next_at: nextAt, due_at: nextAt })
    .onConflict((conflict) =>
      conflict.columns(["bucket", "workspace_id", "workflow_id"]).doUpdateSet((eb) => {
        const isKept = eb.and([
          eb("workflow_schedule.cron", "=", eb.ref("excluded.cron")),
          eb("workflow_schedule.time_zone", "=", eb.ref("excluded.time_zone")),
          eb("workflow_schedule.next_at", "is not", null),
          eb("excluded.next_at", "is not", null),
        ]);
        return {
          environment: eb.ref("excluded.environment"),
          cron: eb.ref("excluded.cron"),
          time_zone: eb.ref("excluded.time_zone"),
          missed: eb.ref("excluded.missed"),
          next_at: eb
            .case()
            .when(isKept)
            .then(eb.ref("workflow_schedule.next_at"))
            .else(eb.ref("excluded.next_at"))
            .end(),
          due_at: eb.case().when(isKept).then(eb.ref("workflow_schedule.due_at")).else(eb.ref("excluded.due_at")).end(),
        };
      }),
    )
    .execute();
}

const CURRENT_TIME: HotStatement = { name: "workflow_schedule_time", text: "select clock_timestamp() as at" };

/** Returns the database's time, also when the transaction has waited for a lock. */
export async function currentTime(tx: Tx): Promise<Instant> {
  const [row] = await tx.hot<{ at: Date }>(CURRENT_TIME, []);
  if (row === undefined) throw new Error("the database has no time");
  return fromDate(row.at);
}

export async function deleteSchedule(query: Query, key: ScheduleKey): Promise<void> {
  await query
    .deleteFrom("workflow_schedule")
    .where("bucket", "=", key.bucket)
    .where("workspace_id", "=", key.workspace_id)
    .where("workflow_id", "=", key.workflow_id)
    .execute();
}

export async function findSchedule(query: Query, key: ScheduleKey): Promise<ScheduleRow | undefined> {
  return await query
    .selectFrom("workflow_schedule")
    .selectAll()
    .where("bucket", "=", key.bucket)
    .where("workspace_id", "=", key.workspace_id)
    .where("workflow_id", "=", key.workflow_id)
    .executeTakeFirst();
}

/** A due schedule, with its workflow. */
export interface DueSchedule extends ScheduleRow {
  readonly name: string;
  /** The tag of the workspace's live environment; null if the workspace is closed. */
  readonly live_tag: Tag | null;
  readonly now: Date;
}

export const dueBuckets = dueBucketsOf("workflow_schedule");

const OVERDUE: HotStatement = {
  name: "workflow_schedule_overdue",
  text: "select count(*)::int as n from workflow_schedule where due_at is not null and next_at < now() - interval '1 minute'",
};

/** Returns the number of schedules whose occurrence was due more than a minute ago. */
export async function countOverdue(db: Db): Promise<number> {
  return await countOnShards(db, OVERDUE);
}

/**
 * Locks up to `$2` due schedules of one bucket until the transaction ends. There is no lease: nothing in the transaction
 * waits for the network, so that a process that dies in it releases them at once.
 */
const HOLD: HotStatement = {
  name: "workflow_schedule_hold",
  text: `select s.*, w.name, k.tag as live_tag, now() as now
    from workflow_schedule s
      join workflow w on w.workspace_id = s.workspace_id and w.id = s.workflow_id
      left join workspace k on k.id = s.workspace_id and k.closed_at is null
    where s.bucket = $1 and s.due_at <= now() order by s.due_at limit $2 for update of s skip locked`,
};

export async function holdDue(tx: Tx, bucket: number, limit: number): Promise<DueSchedule[]> {
  return await tx.hot<DueSchedule & Record<string, unknown>>(HOLD, [bucket, limit]);
}

/** The new state of a schedule whose occurrences were fired. */
export interface Moved {
  readonly key: ScheduleKey;
  readonly next: Date | null;
  readonly fired: Pick<ScheduleRow, "fired_at" | "fired_event">;
  readonly skipped: Pick<ScheduleRow, "skipped" | "skipped_from" | "skipped_until">;
}

const MOVE: HotStatement = {
  name: "workflow_schedule_move",
  text: `update workflow_schedule s set next_at = m.next_at, due_at = m.next_at, fired_at = m.fired_at, fired_event = m.fired_event,
      skipped = m.skipped, skipped_from = m.skipped_from, skipped_until = m.skipped_until
    from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::uuid[], $7::int[],
      $8::timestamptz[], $9::timestamptz[])
      as m (bucket, workspace_id, workflow_id, next_at, fired_at, fired_event, skipped, skipped_from, skipped_until)
    where s.bucket = m.bucket and s.workspace_id = m.workspace_id and s.workflow_id = m.workflow_id`,
};

export async function moveSchedules(tx: Tx, moved: readonly Moved[]): Promise<void> {
  await tx.hot(MOVE, [
    columnOf.smallint(moved, ({ key }) => key.bucket),
    columnOf.uuid(moved, ({ key }) => key.workspace_id),
    columnOf.uuid(moved, ({ key }) => key.workflow_id),
    columnOf.timestamptz(moved, ({ next }) => next),
    columnOf.timestamptz(moved, ({ fired }) => fired.fired_at),
    columnOf.uuid(moved, ({ fired }) => fired.fired_event),
    columnOf.int(moved, ({ skipped }) => skipped.skipped),
    columnOf.timestamptz(moved, ({ skipped }) => skipped.skipped_from),
    columnOf.timestamptz(moved, ({ skipped }) => skipped.skipped_until),
  ]);
}

/** Makes a schedule that could not be fired due again later, unless it was changed since. */
const POSTPONE: HotStatement = {
  name: "workflow_schedule_postpone",
  text: `update workflow_schedule set due_at = now() + $4 * interval '1 second'
    where bucket = $1 and workspace_id = $2 and workflow_id = $3 and due_at <= now()`,
};

export async function postponeSchedule(db: Db, row: ScheduleRow, seconds: number): Promise<void> {
  await db.hot(POSTPONE, [row.bucket, row.workspace_id, row.workflow_id, seconds]);
}
