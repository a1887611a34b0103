import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { lockName, newestFirst, ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, RawBuilder, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";
import { conditionsOf, IS_OVER, reopenedFromClosed, RETRY_WAITS } from "./deliveries.store.ts";
import type { DeliveryFilter } from "./deliveries.store.ts";
import type { RestingState } from "./queue.ts";
import { MOST_ATTEMPTS } from "./retry-schedule.ts";

export type ReplayJobRow = Selectable<Tables["replay_job"]>;
type JobKey = Pick<ReplayJobRow, "bucket" | "tag" | "id">;

/** `waiting`: pending deliveries whose retry waits. Nodes of the version before replay nothing for a state that they do not know. */
export type ReplayedState = RestingState | "waiting";

/** Selects deliveries that can be sent now: those that match a filter, or those with these ids. */
export interface Matching extends TenantKey {
  readonly filter: DeliveryFilter & {
    readonly state: ReplayedState;
    /** True to include those whose retry waits. */
    readonly withWaiting?: boolean | undefined;
    /** Leaves out those that failed before this time (RFC 3339). */
    readonly failedSince?: string | undefined;
    /** True: only those whose transformation failed. False: only the others. */
    readonly isOfTransform?: boolean | undefined;
  };
  readonly ids: readonly Uuid[] | null;
}

/**
 * Matches deliveries that can be sent again. Deliveries at the limit of attempts, without their event, or of an
 * inactive endpoint are excluded; those of an inactive endpoint would only wait.
 */
function isLive(table: "delivery" | "pending_delivery"): RawBuilder<unknown> {
  const d = sql.raw(table);
  return sql`${d}.attempt_count < ${MOST_ATTEMPTS}
    and exists (select from event v where v.bucket = ${d}.bucket and v.tag = ${d}.tag and v.id = ${d}.event_id)
    and exists (select from endpoint e where e.bucket = ${d}.bucket and e.tag = ${d}.tag and e.id = ${d}.endpoint_id and e.active
      and e.deleted_at is null)`;
}

/** Returns the condition of the matching deliveries that have ended, in any way if they are named by their ids. */
function endedOf(matching: Matching): RawBuilder<unknown> {
  const { filter, ids } = matching;
  if (ids === null && filter.state === "waiting") return sql`false`;
  return sql`${conditionOf(matching, filter.state)} and ${IS_OVER} and ${isLive("delivery")}`;
}

/** Returns the condition of the matching deliveries whose retry waits. */
function waitingOf(matching: Matching): RawBuilder<unknown> {
  const { filter, ids } = matching;
  if (ids === null && filter.state !== "waiting" && filter.withWaiting !== true) return sql`false`;
  return sql`${conditionOf(matching, "pending")} and ${RETRY_WAITS} and ${isLive("pending_delivery")}`;
}

function conditionOf({ bucket, tag, filter, ids }: Matching, state: string): RawBuilder<unknown> {
  const conditions =
    ids === null
      ? [...conditionsOf({ bucket, tag }, { ...filter, state }), ...causesOf(filter, state)]
      : [...conditionsOf({ bucket, tag, tenant: filter.tenant ?? null }, {}), sql`id = any(${[...ids]}::uuid[])`];
  return sql.join(conditions, sql` and `);
}

/** One whose retry waits has failed a moment ago, or is about to be tried. */
function causesOf({ failedSince, isOfTransform }: Matching["filter"], state: string): RawBuilder<unknown>[] {
  const since = state === "pending" ? undefined : failedSince;
  return [
    ...(since === undefined ? [] : [sql`completed_at >= ${since}::timestamptz`]),
    ...(isOfTransform === undefined
      ? []
      : [sql`(last_error_class is not distinct from 'transform') = ${isOfTransform}`]),
  ];
}

/** Counts matching deliveries, up to `most`. */
export async function countMatching(query: Query, matching: Matching, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (
      select 1 from delivery where ${endedOf(matching)}
      union all select 1 from pending_delivery where ${waitingOf(matching)} limit ${most}) d`.execute(query);
  return rows[0]?.n ?? 0;
}

export interface Step {
  /** Deliveries that ended or were attempted since then are left out. */
  readonly before: Date;
  /** The id of the last delivery that was processed. */
  readonly position: Uuid | null;
  readonly limit: number;
  /** True if transformations are run again. */
  readonly isAnew: boolean;
}

/**
 * Sends up to `limit` matching deliveries, oldest first, after the position: those that have ended, and those whose retry
 * waits. Returns their number and the last id.
 */
export async function sendMatching(
  tx: Tx,
  matching: Matching,
  { before, position, limit, isAnew }: Step,
): Promise<{
  readonly count: number;
  readonly last: Uuid | null;
  /** The endpoints in whose lanes deliveries wait for a place. */
  readonly ordered: readonly Uuid[];
}> {
  const { bucket, tag } = matching;
  const after = position === null ? sql`` : sql`and id > ${position}`;
  const transformed = sql`case when ${isAnew} then null else transformed end`;
  const { rows } = await sql<{
    id: Uuid;
    ordered: Uuid | null;
  }>`with ended as (select id from delivery where ${endedOf(matching)} ${after}
      and completed_at < ${before} order by id limit ${limit} for update skip locked),
    waiting as (select id from pending_delivery where ${waitingOf(matching)} ${after}
      and not exists (select from attempt a where a.bucket = ${bucket} and a.tag = ${tag} and a.delivery_id = pending_delivery.id
        and a.started_at >= ${before})
      order by id limit ${limit} for update skip locked),
    chosen as (select id, false as waits from ended union all select id, true from waiting order by id limit ${limit}),
    closed as (delete from delivery d using chosen c where not c.waits and d.bucket = ${bucket} and d.tag = ${tag} and d.id = c.id returning d.*),
    ${reopenedFromClosed(isAnew)},
    hurried as (update pending_delivery p set due_at = now(), next_attempt_at = now(), transformed = ${transformed}
      from chosen c where c.waits and p.bucket = ${bucket} and p.tag = ${tag} and p.id = c.id
      returning p.bucket, p.tag, p.id),
    sent as (select bucket, tag, id, endpoint_id, lane_xact is not null as queues from reopened
      union all select bucket, tag, id, null::uuid, false from hurried),
    ${sql.raw(newsOf("delivery", "sent"))} select id, case when queues then endpoint_id end as ordered from sent order by id`.execute(
    tx.query,
  );
  const ordered = new Set(rows.flatMap((row) => (row.ordered === null ? [] : [row.ordered])));
  return { count: rows.length, last: rows.at(-1)?.id ?? position, ordered: [...ordered] };
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
  /** A `Backfill` as JSON text; null for a replay. */
  readonly backfill: string | null;
}

export async function insertReplayJob(query: Query, job: NewReplayJob): Promise<ReplayJobRow> {
  return await query.insertInto("replay_job").values(job).returningAll().executeTakeFirstOrThrow();
}

/** Counts the open jobs of the tenant, or of the workspace itself, up to `most`. Other transactions wait to count them. */
export async function countOpenJobs(tx: Tx, { bucket, tag, tenant = null }: JobPlace, most: number): Promise<number> {
  await lockName(tx, `open replay jobs ${tag} ${tenant ?? ""}`);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select from replay_job
    where bucket = ${bucket} and tag = ${tag} and tenant is not distinct from ${tenant}
      and finished_at is null and cancelled_at is null limit ${most}) j`.execute(tx.query);
  return rows[0]?.n ?? 0;
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

/** The columns of a job that has ended. */
const NOT_LEASED = { lease_id: null, due_at: sql<Date>`now()` };

export async function advanceReplayJob(
  tx: Tx,
  job: JobKey,
  by: {
    readonly count: number;
    readonly position: Uuid | null;
    readonly finished: Date | null;
    readonly sweepFrom?: Uuid | null;
  },
): Promise<void> {
  await tx.query
    .updateTable("replay_job")
    .set((eb) => ({
      done: eb("done", "+", by.count),
      position: by.position,
      finished_at: by.finished,
      sweep_from: by.sweepFrom ?? null,
      ...(by.finished !== null && (by.sweepFrom ?? null) === null ? NOT_LEASED : {}),
    }))
    .$call(ofTenant(job))
    .where("id", "=", job.id)
    .execute();
}

/** Locks a finished job until the transaction ends. Undefined once its sweep has moved on from here. */
export async function holdSweep(tx: Tx, job: JobKey, from: Uuid): Promise<ReplayJobRow | undefined> {
  return await tx.query
    .selectFrom("replay_job")
    .selectAll()
    .$call(ofTenant(job))
    .where("id", "=", job.id)
    .where("sweep_from", "=", from)
    .forUpdate()
    .executeTakeFirst();
}

export async function advanceSweep(query: Query, job: JobKey, count: number, from: Uuid | null): Promise<void> {
  await query
    .updateTable("replay_job")
    .set((eb) => ({ done: eb("done", "+", count), sweep_from: from, ...(from === null ? NOT_LEASED : {}) }))
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
  return await query
    .selectFrom("replay_job")
    .selectAll()
    .$call(ofTenant(place))
    .where(isVisible(place))
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
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
    .set({ cancelled_at: now, ...NOT_LEASED })
    .$call(ofTenant(place))
    .where(isVisible(place))
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .where("cancelled_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}
