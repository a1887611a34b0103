import { SCHEDULE_DUE } from "../../events/events.ts";
import type { EventDraft } from "../../events/events.ts";
import { fromDate, sha256, tagOf, toDate, toLocalRfc3339, toRfc3339, uuidFrom, wireId } from "../../lib/lib.ts";
import type { Instant, Tag, Uuid } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import { planOf } from "./schedule.ts";
import type { Occurrence, Schedule, Skipped } from "./schedule.ts";
import type { DueSchedule, Moved, ScheduleRow } from "./schedules.store.ts";

type Draft = EventDraft & { readonly id: Uuid };

/** The events of a schedule that is due, and its state after them. */
export interface Due {
  readonly drafts: readonly Draft[];
  readonly moved: Moved;
}

/** A closed workspace fires nothing. */
export function dueOf(row: DueSchedule): Due {
  const now = fromDate(row.now);
  const { fires, skipped, next } = planOf(scheduleOf(row), row.next_at === null ? now : fromDate(row.next_at), now);
  const before = row.fired_at === null ? undefined : fromDate(row.fired_at);
  const tag = row.live_tag;
  const drafts =
    tag === null ? [] : fires.map((one, at) => draftOf(row, { tag, ...one, previous: fires[at - 1]?.at ?? before }));
  const last = drafts.at(-1);
  return {
    drafts,
    moved: {
      key: row,
      next: next === undefined ? null : toDate(next),
      fired: last === undefined ? row : { fired_at: toDate(fires.at(-1)?.at ?? now), fired_event: last.id },
      skipped: skipped === undefined ? row : skippedColumns(skipped),
    },
  };
}

export function scheduleOf({ cron, time_zone: timeZone, missed }: ScheduleRow): Schedule {
  return { cron, timeZone, missed: missed === "once" ? "once" : "skip" };
}

function skippedColumns({ count, first, last }: Skipped): Moved["skipped"] {
  return { skipped: count, skipped_from: toDate(first), skipped_until: toDate(last) };
}

interface Firing extends Occurrence {
  /** The tag of the live environment. */
  readonly tag: Tag;
  readonly previous: Instant | undefined;
}

function draftOf(row: DueSchedule, { at, missed, tag, previous }: Firing): Draft {
  const scope = scopeOf(row.workspace_id, tagOf(tag, row.environment === "sandbox" ? "sandbox" : "live"));
  const workflow = wireId("wf", tag, row.workflow_id);
  const data = {
    workflow_id: workflow,
    workflow_name: row.name,
    due_at: toRfc3339(at),
    scheduled_at: toLocalRfc3339(at, row.time_zone),
    time_zone: row.time_zone,
    previous_due_at: previous === undefined ? null : toRfc3339(previous),
    missed,
  };
  return {
    scope,
    // The log keeps an event by the time in its id. A missed occurrence may be older than the log.
    id: uuidFrom(missed === 0 ? at : fromDate(row.now), sha256(`${workflow} ${at}`)),
    name: SCHEDULE_DUE,
    data: JSON.stringify(data),
    occurredAt: at,
    subject: workflow,
    tenant: null,
    isInternal: true,
  };
}
