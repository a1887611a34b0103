import { bulk, byKey, defineFreshPart, definePart } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { announcementPart } from "../../events/events.ts";
import type { Announcement } from "../../events/events.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { newsOf } from "../../insights/insights.ts";
import { DELIVERY_REPORTS } from "../../issues/issues.ts";

/** One attempt, in the form that is written to the log. */
export interface AttemptRecord {
  readonly id: Uuid;
  readonly startedAt: Date;
  readonly statusCode: number | null;
  readonly errorClass: string | null;
  readonly errorDetail: string | null;
  readonly latency: readonly number[];
  readonly resolvedIp: string | null;
  /** The response's headers as JSON text. */
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
  /** The end state; null if the delivery is retried. */
  readonly state: "delivered" | "failed" | "cancelled" | "filtered" | null;
  readonly waitMs: number;
  /** Null when the delivery ends without an attempt. */
  readonly attempt: AttemptRecord | null;
  /** The result for the endpoint's health; null if there is none. */
  readonly healthy: boolean | null;
  /** The event that is announced when this result ends the delivery; null for none. */
  readonly news: Announcement | null;
  /** True if the sender waits for the end of the delivery: see `delivery_outcome`. */
  readonly awaited: boolean;
}

const RESULT_COLUMNS = [
  "at",
  "endpoint_id",
  "number",
  "trigger",
  "state",
  "attempt_id",
  "started_at",
  "status_code",
  "error_class",
  "error_detail",
  "latency",
  "resolved_ip",
  "response_headers",
  "response_snippet",
  "response_truncated",
  "request_timestamp",
  "healthy",
];
const RESULT = RESULT_COLUMNS.map((column) => `r.${column}`).join(", ");
const RESULT_NAMES = RESULT_COLUMNS.join(", ");

/**
 * Writes attempt, delivery and next due time of many results in one commit. Each write is fenced: it happens only while
 * the delivery is still leased to this process for the attempt that it made, so a worker that was suspended and resumes
 * cannot change what another worker has taken over. `fresh (at)` contains the positions of the deliveries that have
 * ended. Each write passes on the result that it belongs to. A join by ids would compare results and written rows pair
 * by pair, because the planner assumes that a batch has one row (see `byKey`).
 */
const resultPart = defineFreshPart<ResultRow, { readonly leaseId: Uuid }>({
  name: "results",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.deliveryId),
    bulk("endpoint_id", "uuid", (row) => row.endpointId),
    bulk("number", "int", (row) => row.number),
    bulk("trigger", "text", (row) => row.trigger),
    bulk("state", "text", (row) => row.state),
    bulk("wait_ms", "float8", (row) => row.waitMs),
    bulk("attempt_id", "uuid", (row) => row.attempt?.id ?? null),
    bulk("started_at", "timestamptz", (row) => row.attempt?.startedAt ?? null),
    bulk("status_code", "smallint", (row) => row.attempt?.statusCode ?? null),
    bulk("error_class", "text", (row) => row.attempt?.errorClass ?? null),
    bulk("error_detail", "text", (row) => row.attempt?.errorDetail ?? null),
    bulk("latency", "text", (row) => (row.attempt === null ? null : `{${row.attempt.latency.join(",")}}`)),
    bulk("resolved_ip", "text", (row) => row.attempt?.resolvedIp ?? null),
    bulk("response_headers", "text", (row) => row.attempt?.responseHeaders ?? null),
    bulk("response_snippet", "text", (row) => row.attempt?.responseSnippet ?? null),
    bulk("response_truncated", "boolean", (row) => row.attempt?.responseTruncated ?? null),
    bulk("request_timestamp", "bigint", (row) => row.attempt?.requestTimestamp ?? null),
    bulk("healthy", "boolean", (row) => row.healthy),
  ],
  parameters: { leaseId: "uuid" },
  text: ({ numberedRows, $ }) => `r as (select * from ${numberedRows("r")} where ${byKey("at")}),
    ended as (delete from pending_delivery p using r where r.state is not null and p.bucket = r.bucket and p.tag = r.tag and p.id = r.id
      and p.lease_id = ${$.leaseId} and p.attempt_count = r.number - 1
      returning p.bucket, p.tag, p.id, p.event_id, p.event_name, p.attempt_count, p.last_status_code, p.last_error_class, p.transformed, p.lane,
        p.lane_sequence, ${RESULT}),
    waiting as (update pending_delivery p set attempt_count = r.number, lease_id = null, trigger = 'ladder', last_status_code = r.status_code,
        last_error_class = r.error_class, due_at = now() + r.wait_ms * interval '1 millisecond', next_attempt_at = now() + r.wait_ms * interval '1 millisecond'
      from r where r.state is null and p.bucket = r.bucket and p.tag = r.tag and p.id = r.id and p.lease_id = ${$.leaseId} and p.attempt_count = r.number - 1
      returning p.bucket, p.tag, p.id, p.event_id, ${RESULT}),
    written as not materialized (select bucket, tag, id, event_id, ${RESULT_NAMES} from ended
      union all select bucket, tag, id, event_id, ${RESULT_NAMES} from waiting),
    logged as (insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, transformed, attempt_count, last_status_code, last_error_class,
        lane, lane_sequence)
      select bucket, tag, id, event_id, event_name, endpoint_id, state, transformed,
        case when attempt_id is null then attempt_count else number end,
        case when attempt_id is null then last_status_code else status_code end,
        case when attempt_id is null then last_error_class else error_class end, lane, lane_sequence
      from ended),
    attempts as (insert into attempt (bucket, tag, delivery_id, number, id, trigger, started_at, status_code, error_class, error_detail, latency,
        resolved_ip, response_headers, response_snippet, response_truncated, request_timestamp)
      select bucket, tag, id, number, attempt_id, trigger, started_at, status_code, error_class, error_detail, latency::real[],
        resolved_ip, response_headers, response_snippet, response_truncated, request_timestamp
      from written where attempt_id is not null),
    health as (select bucket, tag, endpoint_id, bool_or(healthy) as healthy from written
      where healthy is not null group by bucket, tag, endpoint_id),
    turned as (select e.bucket, e.tag, e.id, h.healthy from endpoint e join health h on e.bucket = h.bucket and e.tag = h.tag and e.id = h.endpoint_id
      where (e.failing_since is null) <> h.healthy order by e.bucket, e.tag, e.id for update of e),
    turning as (update endpoint e set failing_since = case when t.healthy then null else now() end
      from turned t where e.bucket = t.bucket and e.tag = t.tag and e.id = t.id),
    ${DELIVERY_REPORTS},
    ${newsOf("delivery", "written")},
    fresh as (select at from ended)`,
});

/** Records the end of deliveries for the workflow that waits for them. Needs `ended` of `resultPart`. */
const outcomePart = definePart<number>({
  name: "outcome",
  columns: [bulk("at", "bigint", (at) => at)],
  text: ({ rows }) => `outcomes as (insert into delivery_outcome (bucket, tag, delivery_id, state, status_code)
      select bucket, tag, id, state, status_code from ended where at in (select o.at from ${rows("o")})
      on conflict (bucket, tag, delivery_id) do update set state = excluded.state, status_code = excluded.status_code)`,
});

/**
 * Writes results, and the announcements of those that ended. Returns for each whether the delivery was still leased to
 * this process. Nothing is written for the others.
 */
export async function recordResults(db: Db, leaseId: Uuid, rows: readonly ResultRow[]): Promise<boolean[]> {
  const news = rows.flatMap((row, at) => (row.news === null ? [] : [{ ...row.news, request: at }]));
  const awaited = rows.flatMap((row, at) => (row.awaited && row.state !== null ? [at + 1] : []));
  const written = await db.commit<{ at: string }>(
    [
      resultPart(rows, { leaseId }),
      ...(news.length === 0 ? [] : [announcementPart(news)]),
      ...(awaited.length === 0 ? [] : [outcomePart(awaited)]),
    ],
    "select at from written",
  );
  const positions = new Set(written.map((row) => Number(row.at)));
  return rows.map((_row, at) => positions.has(at + 1));
}
