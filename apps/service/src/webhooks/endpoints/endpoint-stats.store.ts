import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import { isUnread } from "./pull-log.store.ts";

export interface EndpointStats {
  readonly delivered: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly pending: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/**
 * Returns the statistics of an endpoint for the deliveries with ids from `from` on, which the caller sets to 24 hours
 * ago.
 */
export async function endpointStats(
  query: Query,
  place: TenantKey,
  endpointId: Uuid,
  from: Uuid,
): Promise<EndpointStats> {
  const { rows } =
    await sql<EndpointStats>`with d as (select id, case when ${isUnread(place)} then 'pending' else state end as state from delivery where bucket = ${place.bucket}
      and endpoint_id = ${endpointId} and tag = ${place.tag} and id >= ${from}),
    timed as (select a.latency[5] as ms from d join attempt a on a.bucket = ${place.bucket} and a.tag = ${place.tag} and a.delivery_id = d.id
      and a.delivery_id >= ${from} order by d.id desc limit 1000)
    select count(*) filter (where state = 'delivered')::int as delivered, count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where state = 'cancelled')::int as cancelled,
      (select count(*)::int from pending_delivery where bucket = ${place.bucket} and tag = ${place.tag} and endpoint_id = ${endpointId})
        + count(*) filter (where state = 'pending')::int as pending,
      (select percentile_cont(0.5) within group (order by ms) from timed) as p50_ms,
      (select percentile_cont(0.95) within group (order by ms) from timed) as p95_ms
    from d`.execute(query);
  return rows[0] ?? { delivered: 0, failed: 0, cancelled: 0, pending: 0, p50_ms: null, p95_ms: null };
}

export interface EndpointWaiting {
  readonly endpoint_id: Uuid;
  readonly pending: number;
  readonly next_attempt_at: Date | null;
}

/**
 * Returns the number of pending deliveries for each of these endpoints, counted up to `most`, and the time of the first
 * attempt.
 */
export async function waitingOf(
  query: Query,
  { bucket, tag }: TenantKey,
  endpointIds: readonly Uuid[],
  most: number,
): Promise<EndpointWaiting[]> {
  const { rows } = await sql<EndpointWaiting>`select e.id as endpoint_id, c.n as pending, f.next_attempt_at
    from unnest(${[...endpointIds]}::uuid[]) as e (id),
      lateral (select count(*)::int as n from (select 1 from pending_delivery p
        where p.bucket = ${bucket} and p.tag = ${tag} and p.endpoint_id = e.id limit ${most}) x) c
      left join lateral (select case when p.lane is null or p.lane_head then p.next_attempt_at end as next_attempt_at from pending_delivery p
        where p.bucket = ${bucket} and p.tag = ${tag} and p.endpoint_id = e.id order by p.due_at limit 1) f on true`.execute(
    query,
  );
  return rows;
}

/**
 * Returns what is lost with each of these endpoints: its pending deliveries and unread messages, each counted up to `most`.
 */
export async function undeliveredOf(
  query: Query,
  { bucket, tag }: TenantKey,
  endpointIds: readonly Uuid[],
  most: number,
): Promise<Pick<EndpointWaiting, "endpoint_id" | "pending">[]> {
  const { rows } = await sql<
    Pick<EndpointWaiting, "endpoint_id" | "pending">
  >`select e.id as endpoint_id, d.n + m.n as pending from unnest(${[...endpointIds]}::uuid[]) as e (id),
      lateral (select count(*)::int as n from (select 1 from pending_delivery p
        where p.bucket = ${bucket} and p.tag = ${tag} and p.endpoint_id = e.id limit ${most}) x) d,
      lateral (select count(*)::int as n from (select 1 from pull_log l
        cross join lateral (select greatest(max(c.position), l.first_offset) as position from pull_consumer c
          where c.bucket = l.bucket and c.tag = l.tag and c.endpoint_id = l.endpoint_id) c
        join pull_message m on m.bucket = l.bucket and m.tag = l.tag and m.endpoint_id = l.endpoint_id and m.pull_offset >= c.position
        where l.bucket = ${bucket} and l.tag = ${tag} and l.endpoint_id = e.id limit ${most}) y) m`.execute(query);
  return rows;
}
