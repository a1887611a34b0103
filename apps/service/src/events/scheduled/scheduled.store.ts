import { arrayText, bulk, countOnShards, defineDependentPart, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, RequestRow, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { dueBucketsOf } from "../../platform/tasks/tasks.ts";
import { toDate, uuidFloor } from "../../lib/lib.ts";
import type { Instant, Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import type { EventDraft } from "../event/event.ts";
import { labelsText } from "../event/labels.ts";
import { deleteLabels } from "../event/labels.store.ts";

export type ScheduledRow = Selectable<Tables["scheduled_event"]>;

/** An event that is accepted for a later time. */
export interface ScheduledEvent {
  readonly draft: EventDraft;
  readonly id: Uuid;
  readonly deliverAt: Instant;
  /** The position in its request, from 0. */
  readonly position: number;
}

/** Writes scheduled events together with their requests. */
export const scheduledPart = defineDependentPart<ScheduledEvent & RequestRow>({
  name: "scheduled",
  columns: [
    bulk("bucket", "smallint", ({ draft }) => draft.scope.bucket),
    bulk("tag", "text", ({ draft }) => draft.scope.tag),
    bulk("id", "uuid", ({ id }) => id),
    bulk("workspace_id", "uuid", ({ draft }) => draft.scope.workspaceId),
    bulk("name", "text", ({ draft }) => draft.name),
    bulk("data", "text", ({ draft }) => draft.data),
    bulk("occurred_at", "timestamptz", ({ draft }) =>
      draft.occurredAt === undefined ? null : toDate(draft.occurredAt),
    ),
    bulk("subject", "text", ({ draft }) => draft.subject ?? null),
    bulk("traceparent", "text", ({ draft }) => draft.traceparent ?? null),
    bulk("type_version", "smallint", ({ draft }) => draft.typeVersion ?? null),
    bulk("tenant", "text", ({ draft }) => draft.tenant ?? null),
    bulk("due_at", "timestamptz", ({ deliverAt }) => toDate(deliverAt)),
    bulk("labels", "text", ({ draft }) => labelsText(draft.labels)),
    bulk(
      "fired_by",
      "text",
      ({ draft: { firedBy = [] } }) => arrayText(firedBy.length === 0 ? null : firedBy),
      "uuid[]",
    ),
  ],
  text: ({ rows, names, selected }) => `scheduled as (insert into scheduled_event (${names})
      select ${selected("s")} from ${rows("s")})`,
});

export const dueBuckets = dueBucketsOf("scheduled_event");

/** The times of events that cannot be fired move on, but stay within two minutes. The id has the time of the delivery. */
const OVERDUE: HotStatement = {
  name: "scheduled_event_overdue",
  text: `select count(*)::int as n from generate_series(0, 63) b,
    lateral (select from scheduled_event e where e.bucket = b and e.due_at < now() + interval '2 minutes' and e.id < $1) o`,
};

/** Returns the number of events that still wait, and whose time is before this one. */
export async function countOverdue(db: Db, before: Instant): Promise<number> {
  return await countOnShards(db, OVERDUE, [uuidFloor(before)]);
}

export interface TakenRow extends ScheduledRow {
  /** False if the workspace was closed. */
  readonly is_open: boolean;
}

/** Takes up to `$2` due events of one bucket. They are gone if the transaction commits, and due again otherwise. */
const TAKE: HotStatement = {
  name: "scheduled_event_take",
  text: `delete from scheduled_event s using (select tag, id from scheduled_event where bucket = $1 and due_at <= now()
      order by due_at limit $2 for update skip locked) d
    where s.bucket = $1 and s.tag = d.tag and s.id = d.id
    returning s.*, exists (select from workspace k where k.id = s.workspace_id and k.closed_at is null) as is_open`,
};

export async function takeDue(tx: Tx, bucket: number, limit: number): Promise<TakenRow[]> {
  return await tx.hot<TakenRow & Record<string, unknown>>(TAKE, [bucket, limit]);
}

const POSTPONE: HotStatement = {
  name: "scheduled_event_postpone",
  text: `update scheduled_event set due_at = now() + $4 * interval '1 second'
    where bucket = $1 and tag = $2 and id = $3 and due_at <= now()`,
};

export async function postpone(db: Db, { bucket, tag, id }: ScheduledRow, seconds: number): Promise<void> {
  await db.hot(POSTPONE, [bucket, tag, id, seconds]);
}

/** Returns whether the events waited until now. */
export async function cancelScheduled(query: Query, place: TenantKey, ids: readonly Uuid[]): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("scheduled_event")
    .set({ due_at: null, ended_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("id", "in", ids)
    .where("due_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteScheduled(query: Query, place: TenantKey, ids: readonly Uuid[]): Promise<void> {
  await query.deleteFrom("scheduled_event").$call(ofTenant(place)).where("id", "in", ids).execute();
  await deleteLabels(query, place, ids);
}

export async function findScheduled(query: Query, place: TenantKey, id: Uuid): Promise<ScheduledRow | undefined> {
  return await query
    .selectFrom("scheduled_event")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

export interface ScheduledFilter {
  readonly isCancelled?: boolean;
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
  readonly tenant?: string | undefined;
  readonly acceptedFrom?: Instant | undefined;
  readonly acceptedBefore?: Instant | undefined;
  readonly before?: Uuid | undefined;
}

/** Returns the events in the order of their delivery, the last one first. */
export async function listScheduled(
  query: Query,
  place: { readonly bucket: number; readonly tag: Tag },
  filter: ScheduledFilter,
  limit: number,
): Promise<ScheduledRow[]> {
  let rows = query.selectFrom("scheduled_event").selectAll().$call(ofTenant(place));
  if (filter.isCancelled !== undefined) rows = rows.where("due_at", filter.isCancelled ? "is" : "is not", null);
  if (filter.event !== undefined) rows = rows.where("name", "=", filter.event);
  if (filter.subject !== undefined) rows = rows.where("subject", "=", filter.subject);
  if (filter.tenant !== undefined) rows = rows.where("tenant", "=", filter.tenant);
  if (filter.acceptedFrom !== undefined) rows = rows.where("accepted_at", ">=", toDate(filter.acceptedFrom));
  if (filter.acceptedBefore !== undefined) rows = rows.where("accepted_at", "<", toDate(filter.acceptedBefore));
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["data"] });
}
