import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";
import { conditionsOf } from "./deliveries.store.ts";
import type { DeliveryFilter } from "./deliveries.store.ts";
import { MOST_ATTEMPTS } from "./retry-schedule.ts";

export type ReplayJobRow = Selectable<Tables["replay_job"]>;
type JobKey = Pick<ReplayJobRow, "bucket" | "tag" | "id">;

/** Selects ended deliveries: those that match a filter, or those with these ids. */
export interface Matching extends TenantKey {
  readonly filter: DeliveryFilter & { readonly state: "failed" | "delivered" | "filtered" };
  readonly ids: readonly Uuid[] | null;
}

/**
 * Matches deliveries that can be sent again. Deliveries at the limit of attempts, without their event, or of an
 * inactive endpoint are excluded; those of an inactive endpoint would only wait.
 */
const IS_LIVE = sql`delivery.attempt_count < ${MOST_ATTEMPTS}
  and exists (select from event v where v.bucket = delivery.bucket and v.tag = delivery.tag and v.id = delivery.event_id) and exists (select from endpoint e where e.bucket = delivery.bucket and e.tag = delivery.tag
  and e.id = delivery.endpoint_id and e.active and e.deleted_at is null)`;

function matchingOf({ bucket, tag, filter, ids }: Matching): RawBuilder<unknown> {
  // A list of ids selects deliveries in all end states but one.
  const conditions =
    ids === null
      ? conditionsOf({ bucket, tag }, filter)
      : [
          ...conditionsOf({ bucket, tag, tenant: filter.tenant ?? null }, {}),
          sql`id = any(${[...ids]}::uuid[]) and state in ('failed', 'delivered', 'filtered')`,
        ];
  return sql`${sql.join(conditions, sql` and `)} and ${IS_LIVE}`;
}

/** Counts matching deliveries, up to `most`. */
export async function countMatching(query: Query, matching: Matching, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select 1 from delivery
    where ${matchingOf(matching)} limit ${most}) d`.execute(query);
  return rows[0]?.n ?? 0;
}

export interface Step {
  readonly endedBefore: Date;
  /** The id of the last delivery that was processed. */
  readonly position: Uuid | null;
  readonly limit: number;
  /** True if transformations are run again. */
  readonly isAnew: boolean;
}

/**
 * Reopens up to `limit` matching deliveries that ended before `endedBefore`, oldest first, after the position. Returns
 * their number and the last id.
 */
export async function reopenMatching(
  tx: Tx,
  matching: Matching,
  { endedBefore, position, limit, isAnew }: Step,
): Promise<{ readonly count: number; readonly last: Uuid | null }> {
  const after = position === null ? sql`` : sql`and id > ${position}`;
  const { rows } = await sql<{
    id: Uuid;
  }>`with chosen as (select id from delivery where ${matchingOf(matching)} ${after}
      and completed_at < ${endedBefore} order by id limit ${limit} for update skip locked),
    closed as (delete from delivery d using chosen where d.bucket = ${matching.bucket} and d.tag = ${matching.tag} and d.id = chosen.id returning d.*),
    reopened as (insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, due_at, next_attempt_at, trigger,
        resting_state, last_status_code, last_error_class, transformed)
      select bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, now(), now(), 'replay', state, last_status_code, last_error_class,
        case when ${isAnew} then null else transformed end from closed
      returning bucket, tag, id),
    ${sql.raw(newsOf("delivery", "reopened"))} select id from reopened order by id`.execute(tx.query);
  return { count: rows.length, last: rows.at(-1)?.id ?? position };
}

export interface NewReplayJob extends JobKey {
  readonly endpoint_id: Uuid | null;
  readonly since: Date;
  readonly until: Date;
  readonly total: number;
  /** The filter as JSON text. */
  readonly filter: string;
  readonly ids: Uuid[] | null;
  readonly retransform: boolean | null;
  /** The tenant whose key started the job. */
  readonly tenant: string | null;
}

export async function insertReplayJob(query: Query, job: NewReplayJob): Promise<ReplayJobRow> {
  return await query.insertInto("replay_job").values(job).returningAll().executeTakeFirstOrThrow();
}

export async function openReplayJobs(query: Query): Promise<ReplayJobRow[]> {
  return await query
    .selectFrom("replay_job")
    .selectAll()
    .where("finished_at", "is", null)
    .where("cancelled_at", "is", null)
    .execute();
}

/** Locks the job until the transaction ends. Undefined once the job is finished or cancelled. */
export async function holdReplayJob(tx: Tx, job: JobKey): Promise<ReplayJobRow | undefined> {
  return await tx.query
    .selectFrom("replay_job")
    .selectAll()
    .$call(ofTenant(job))
    .where("id", "=", job.id)
    .where("finished_at", "is", null)
    .where("cancelled_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

export async function advanceReplayJob(
  tx: Tx,
  job: JobKey,
  by: { readonly count: number; readonly position: Uuid | null; readonly finished: Date | null },
): Promise<void> {
  await tx.query
    .updateTable("replay_job")
    .set((eb) => ({ done: eb("done", "+", by.count), position: by.position, finished_at: by.finished }))
    .$call(ofTenant(job))
    .where("id", "=", job.id)
    .execute();
}

/** An environment, or what one tenant's key may see of it: the jobs that a key of the tenant started. */
export interface JobPlace extends TenantKey {
  readonly tenant?: string | null;
}

function isVisible({ tenant }: JobPlace): RawBuilder<boolean> {
  return (tenant ?? null) === null ? sql<boolean>`true` : sql<boolean>`tenant = ${tenant}`;
}

export async function findReplayJob(query: Query, place: JobPlace, id: Uuid): Promise<ReplayJobRow | undefined> {
  return await query
    .selectFrom("replay_job")
    .selectAll()
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Lists the jobs, newest first. */
export async function listReplayJobs(
  query: Query,
  place: JobPlace,
  before: Uuid | undefined,
  limit: number,
): Promise<ReplayJobRow[]> {
  const rows = query
    .selectFrom("replay_job")
    .selectAll()
    .$call(ofTenant(place))
    .where(isVisible(place))
    .orderBy("id", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

/** Cancels the job at its current position. Undefined if the job has ended. */
export async function cancelReplayJob(
  query: Query,
  place: JobPlace,
  id: Uuid,
  now: Date,
): Promise<ReplayJobRow | undefined> {
  return await query
    .updateTable("replay_job")
    .set({ cancelled_at: now })
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .where("cancelled_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}
