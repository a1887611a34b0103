import { newsOf } from "../../insights/insights.ts";
import type { Uuid } from "../../lib/lib.ts";
import { sql } from "../../platform/db/db.ts";
import type { RawBuilder, Tx } from "../../platform/db/db.ts";
import { intoLog, intoOutcomes, IS_OVER, reopenedFromClosed, RETRY_WAITS } from "../deliveries/deliveries.store.ts";
import { MOST_ATTEMPTS } from "../deliveries/retry-schedule.ts";
import type { OrderedKey } from "../endpoints/ordered-endpoints.store.ts";

// All functions of this file need the lock of the endpoint's lanes (`lockLanes`).

/** The delivery that a lane waits for. */
export interface HeadRow {
  readonly head_id: Uuid;
  /** True if it failed, so that the lane is blocked. */
  readonly has_failed: boolean;
  readonly is_leased: boolean;
  /** True while earlier stages of its event hold it. */
  readonly is_held: boolean;
  readonly attempt_count: number;
  readonly has_event: boolean;
}

export async function headOf(
  tx: Tx,
  { bucket, tag, endpointId }: OrderedKey,
  key: string,
): Promise<HeadRow | undefined> {
  const { rows } = await sql<HeadRow>`select l.head_id, p.id is null as has_failed,
      coalesce(p.lease_id is not null and p.due_at > clock_timestamp(), not ${IS_OVER}, false) as is_leased,
      p.id is not null and p.next_attempt_at is null as is_held, coalesce(p.attempt_count, d.attempt_count, 0)::int as attempt_count,
      exists (select from event e where e.bucket = ${bucket} and e.tag = ${tag} and e.id = coalesce(p.event_id, d.event_id)) as has_event
    from lane l
      left join lateral (select p.* from pending_delivery p
        where p.bucket = ${bucket} and p.tag = ${tag} and p.id = l.head_id offset 0) p on true
      left join lateral (select d.* from delivery d where d.bucket = ${bucket} and d.tag = ${tag} and d.id = l.head_id offset 0) d on true
    where l.bucket = ${bucket} and l.tag = ${tag} and l.endpoint_id = ${endpointId} and l.key = ${key} and l.head_id is not null`.execute(
    tx.query,
  );
  return rows[0];
}

export interface Head {
  readonly key: string;
  readonly head_id: Uuid;
}

/** Returns the heads of a lane, or of all that hold something. */
export async function headsOf(
  tx: Tx,
  { bucket, tag, endpointId }: OrderedKey,
  key: string | undefined,
): Promise<Head[]> {
  const only = key === undefined ? sql`` : sql`and key = ${key}`;
  const { rows } = await sql<Head>`select key, head_id from lane
    where endpoint_id = ${endpointId} and bucket = ${bucket} and tag = ${tag} and head_id is not null ${only}`.execute(
    tx.query,
  );
  return rows;
}

/** The ids are a parameter: with a join, the planner could read the whole log. */
function ofHeads({ bucket, tag }: OrderedKey, heads: readonly Head[]): RawBuilder<unknown> {
  return sql`bucket = ${bucket} and tag = ${tag} and id = any(${heads.map((head) => head.head_id)}::uuid[])`;
}

/** Sends the heads that have failed or wait for a retry. Returns their number. */
export async function retryHeads(tx: Tx, endpoint: OrderedKey, heads: readonly Head[]): Promise<number> {
  const { bucket, tag } = endpoint;
  const { rows } = await sql<{
    n: number;
  }>`with closed as (delete from delivery where ${ofHeads(endpoint, heads)} and state = 'failed'
      and ${IS_OVER} and attempt_count < ${MOST_ATTEMPTS}
      and exists (select from event e where e.bucket = ${bucket} and e.tag = ${tag} and e.id = delivery.event_id) returning *),
    ${reopenedFromClosed(false)},
    hurried as (update pending_delivery set due_at = now(), next_attempt_at = now() where ${ofHeads(endpoint, heads)} and ${RETRY_WAITS}
      returning bucket, tag, id),
    sent as (select bucket, tag, id from reopened union all select bucket, tag, id from hurried),
    ${sql.raw(newsOf("delivery", "sent"))} select count(*)::int as n from sent`.execute(tx.query);
  return rows[0]?.n ?? 0;
}

/**
 * Cancels the heads that have failed or were tried, or all of them, so that the next deliveries of their lanes are sent. Those that are
 * being sent stay. Returns the ids of the others.
 */
export async function skipHeads(
  tx: Tx,
  endpoint: OrderedKey,
  heads: readonly Head[],
  of: "all" | "tried",
): Promise<ReadonlySet<Uuid>> {
  const tried = of === "tried" ? sql`and attempt_count > 0` : sql``;
  const { rows } = await sql<{ id: Uuid }>`with skipped as (update delivery set state = 'cancelled'
      where ${ofHeads(endpoint, heads)} and state = 'failed' and ${IS_OVER} returning bucket, tag, id),
    ended as (delete from pending_delivery where ${ofHeads(endpoint, heads)} ${tried}
      and (lease_id is null or due_at <= clock_timestamp()) returning *),
    outcomes as (${intoOutcomes}), logged as (${intoLog}),
    gone as (select bucket, tag, id from skipped union all select bucket, tag, id from ended),
    ${sql.raw(newsOf("delivery", "gone"))} select id from gone`.execute(tx.query);
  return new Set(rows.map(({ id }) => id));
}
