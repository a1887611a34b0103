import { byKey, columnOf } from "../../platform/db/db.ts";
import type { CommitPart, Db } from "../../platform/db/db.ts";
import { announcementPart } from "../../events/events.ts";
import type { Announcement } from "../../events/events.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { newsOf } from "../../insights/live/live.ts";

/** One attempt as it is written to the log. */
export interface AttemptRecord {
  readonly id: Uuid;
  readonly startedAt: Date;
  readonly statusCode: number | null;
  readonly errorClass: string | null;
  readonly errorDetail: string | null;
  readonly latency: readonly number[];
  readonly resolvedIp: string | null;
  /** JSON text of the response's headers. */
  readonly responseHeaders: string | null;
  readonly responseSnippet: string | null;
  readonly responseTruncated: boolean;
  readonly requestTimestamp: number;
}

export interface ResultRow {
  readonly bucket: number;
  readonly tag: Tag;
  readonly deliveryId: Uuid;
  readonly endpointId: Uuid;
  readonly number: number;
  readonly trigger: string;
  /** The state it ends in; null when it is tried again. */
  readonly state: "delivered" | "failed" | "cancelled" | null;
  readonly waitMs: number;
  /** Null when the delivery ends without an attempt. */
  readonly attempt: AttemptRecord | null;
  /** What it says of the endpoint's health; null: nothing. */
  readonly healthy: boolean | null;
  /** What is to be told when it ends by this; null: nothing. */
  readonly news: Announcement | null;
  /** Whoever made the delivery waits for its end: see `delivery_outcome`. */
  readonly awaited: boolean;
}

/**
 * Attempt, delivery and next due time of many results in one commit. Each write is fenced: it happens only while the delivery is still
 * leased to us at the attempt we made, so a worker that was stopped and came back cannot touch what another has taken over.
 * `fresh (at)` has the positions of those that have ended.
 */
function resultPart(leaseId: Uuid, rows: readonly ResultRow[]): CommitPart {
  return {
    name: "results",
    text: (
      first,
    ) => `r as (select * from unnest($${first + 1}::smallint[], $${first + 2}::text[], $${first + 3}::uuid[], $${first + 4}::uuid[], $${first + 5}::int[],
        $${first + 6}::text[], $${first + 7}::text[], $${first + 8}::float8[], $${first + 9}::uuid[], $${first + 10}::timestamptz[], $${first + 11}::smallint[],
        $${first + 12}::text[], $${first + 13}::text[], $${first + 14}::text[], $${first + 15}::text[], $${first + 16}::text[], $${first + 17}::text[],
        $${first + 18}::boolean[], $${first + 19}::bigint[], $${first + 20}::boolean[]) with ordinality
      as r (bucket, tag, id, endpoint_id, number, trigger, state, wait_ms, attempt_id, started_at, status_code, error_class, error_detail, latency,
        resolved_ip, response_headers, response_snippet, response_truncated, request_timestamp, healthy, at)
      where ${byKey("at")}),
    ended as (delete from pending_delivery p using r where r.state is not null and p.bucket = r.bucket and p.tag = r.tag and p.id = r.id
      and p.lease_id = $${first} and p.attempt_count = r.number - 1
      returning p.bucket, p.tag, p.id, p.event_id, p.event_name, p.endpoint_id, p.attempt_count, p.last_status_code, p.last_error_class),
    waiting as (update pending_delivery p set attempt_count = r.number, lease_id = null, trigger = 'ladder', last_status_code = r.status_code,
        last_error_class = r.error_class, due_at = now() + r.wait_ms * interval '1 millisecond', next_attempt_at = now() + r.wait_ms * interval '1 millisecond'
      from r where r.state is null and p.bucket = r.bucket and p.tag = r.tag and p.id = r.id and p.lease_id = $${first} and p.attempt_count = r.number - 1
      returning p.bucket, p.tag, p.id),
    logged as (insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count, last_status_code, last_error_class)
      select d.bucket, d.tag, d.id, d.event_id, d.event_name, d.endpoint_id, r.state,
        case when r.attempt_id is null then d.attempt_count else r.number end,
        case when r.attempt_id is null then d.last_status_code else r.status_code end,
        case when r.attempt_id is null then d.last_error_class else r.error_class end
      from ended d join r using (bucket, tag, id)),
    fenced as (select bucket, tag, id from ended union all select bucket, tag, id from waiting),
    attempts as (insert into attempt (bucket, tag, delivery_id, number, id, trigger, started_at, status_code, error_class, error_detail, latency,
        resolved_ip, response_headers, response_snippet, response_truncated, request_timestamp)
      select r.bucket, r.tag, r.id, r.number, r.attempt_id, r.trigger, r.started_at, r.status_code, r.error_class, r.error_detail, r.latency::real[],
        r.resolved_ip, r.response_headers, r.response_snippet, r.response_truncated, r.request_timestamp
      from r join fenced using (bucket, tag, id) where r.attempt_id is not null),
    health as (select bucket, tag, endpoint_id, bool_or(healthy) as healthy from r join fenced using (bucket, tag, id)
      where healthy is not null group by bucket, tag, endpoint_id),
    turned as (select e.bucket, e.tag, e.id, h.healthy from endpoint e join health h on e.bucket = h.bucket and e.tag = h.tag and e.id = h.endpoint_id
      where (e.failing_since is null) <> h.healthy order by e.bucket, e.tag, e.id for update of e),
    turning as (update endpoint e set failing_since = case when t.healthy then null else now() end
      from turned t where e.bucket = t.bucket and e.tag = t.tag and e.id = t.id),
    ${newsOf("delivery", "fenced")},
    fresh as (select r.at from r join ended using (bucket, tag, id))`,
    values: [
      leaseId,
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.deliveryId),
      columnOf.uuid(rows, (row) => row.endpointId),
      columnOf.int(rows, (row) => row.number),
      columnOf.text(rows, (row) => row.trigger),
      columnOf.text(rows, (row) => row.state),
      columnOf.float8(rows, (row) => row.waitMs),
      columnOf.uuid(rows, (row) => row.attempt?.id ?? null),
      columnOf.timestamptz(rows, (row) => row.attempt?.startedAt ?? null),
      columnOf.smallint(rows, (row) => row.attempt?.statusCode ?? null),
      columnOf.text(rows, (row) => row.attempt?.errorClass ?? null),
      columnOf.text(rows, (row) => row.attempt?.errorDetail ?? null),
      columnOf.text(rows, (row) => (row.attempt === null ? null : `{${row.attempt.latency.join(",")}}`)),
      columnOf.text(rows, (row) => row.attempt?.resolvedIp ?? null),
      columnOf.text(rows, (row) => row.attempt?.responseHeaders ?? null),
      columnOf.text(rows, (row) => row.attempt?.responseSnippet ?? null),
      columnOf.boolean(rows, (row) => row.attempt?.responseTruncated ?? null),
      columnOf.bigint(rows, (row) => row.attempt?.requestTimestamp ?? null),
      columnOf.boolean(rows, (row) => row.healthy),
    ],
  };
}

/** Tells whoever made a delivery how it ended. Needs `r` and `ended` before it. */
function outcomePart(positions: readonly number[]): CommitPart {
  return {
    name: "outcome",
    text: (first) => `outcomes as (insert into delivery_outcome (bucket, tag, delivery_id, state, status_code)
      select r.bucket, r.tag, r.id, r.state, r.status_code from r join ended using (bucket, tag, id) where r.at = any($${first}::bigint[])
      on conflict (bucket, tag, delivery_id) do update set state = excluded.state, status_code = excluded.status_code)`,
    values: [columnOf.bigint(positions, (at) => at)],
  };
}

/**
 * Writes results, and the announcements of those that ended. Answers the ids of the deliveries that were not ours any more:
 * nothing of theirs is written.
 */
export async function recordResults(db: Db, leaseId: Uuid, rows: readonly ResultRow[]): Promise<ReadonlySet<Uuid>> {
  const news = rows.flatMap((row, at) => (row.news === null ? [] : [{ ...row.news, at: at + 1 }]));
  const awaited = rows.flatMap((row, at) => (row.awaited && row.state !== null ? [at + 1] : []));
  const lost = await db.commit<{ id: Uuid }>(
    [
      resultPart(leaseId, rows),
      ...(news.length === 0 ? [] : [announcementPart(news)]),
      ...(awaited.length === 0 ? [] : [outcomePart(awaited)]),
    ],
    "select r.id from r left join fenced f using (bucket, tag, id) where f.id is null",
  );
  return new Set(lost.map((row) => row.id));
}
