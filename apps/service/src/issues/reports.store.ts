import { bulk, definePart, lockName } from "../platform/db/db.ts";
import type { Db, HotStatement, Tx } from "../platform/db/db.ts";
import { SELF_TEST_TAG } from "../lib/lib.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Failed, IssueKind } from "./issue.ts";

/** The end of an attempt of an object, reported in the transaction that records the attempt. */
export interface Report {
  readonly scope: Pick<Scope, "bucket" | "tag" | "workspaceId">;
  readonly kind: IssueKind;
  /** The id of an endpoint or source, or the key of a connector or action. */
  readonly object: string;
  /** The id of the attempt. */
  readonly id: Uuid;
  /** The tenant whose object it is. */
  readonly tenant: string | null;
  /** Null for a success. */
  readonly failure: (Failed & { readonly code: string; readonly detail: string | null }) | null;
}

/**
 * Returns the condition under which a success is reported: the object has an issue, or failed a moment ago. Otherwise a success writes nothing.
 * `row` is the alias of the rows, `object` its column or expression, and `kind` that of the kind.
 */
function isWatchedText(row: string, object: string, kind: string): string {
  const of = (table: string): string =>
    `${table}.bucket = ${row}.bucket and ${table}.tag = ${row}.tag and ${table}.object = ${object} and ${table}.kind = ${kind}`;
  return `(exists (select from issue i where ${of("i")} and i.current and i.watched)
    or exists (select from issue_report q where ${of("q")} and q.failed))`;
}

const COLUMNS = [
  bulk<Report, "smallint">("bucket", "smallint", ({ scope }) => scope.bucket),
  bulk<Report, "text">("tag", "text", ({ scope }) => scope.tag),
  bulk<Report, "text">("kind", "text", (row) => row.kind),
  bulk<Report, "text">("object", "text", (row) => row.object),
  bulk<Report, "uuid">("id", "uuid", (row) => row.id),
  bulk<Report, "boolean">("failed", "boolean", (row) => row.failure !== null),
  bulk<Report, "uuid">("workspace_id", "uuid", ({ failure, scope }) => (failure === null ? null : scope.workspaceId)),
  bulk<Report, "text">("tenant", "text", (row) => (row.failure === null ? null : row.tenant)),
  bulk<Report, "text">("code", "text", ({ failure }) => failure?.code ?? null),
  bulk<Report, "text">("detail", "text", ({ failure }) => detailOf(failure?.detail ?? null)),
  bulk<Report, "text">("sample", "text", ({ failure }) => (failure === null ? null : sampleText(failure))),
  bulk<Report, "uuid">("event_id", "uuid", ({ failure }) => failure?.eventId ?? null),
];

const MOST_DETAIL = 500;

function detailOf(detail: string | null): string | null {
  return detail?.slice(0, MOST_DETAIL).replaceAll("\0", "").toWellFormed() ?? null;
}

function sampleText({ receiptId, runId }: Failed): string {
  return JSON.stringify({ receipt: receiptId, run: runId });
}

/** Returns the CTE that writes the reports of another one, which has the columns of `issue_report` without the time. */
export function reportedFrom(source: string): string {
  const names = COLUMNS.map(({ name }) => name);
  return `reported as (insert into issue_report (${names.join(", ")})
      select ${names.map((name) => `r.${name}`).join(", ")} from ${source} r where r.failed or ${isWatchedText("r", "r.object", "r.kind")})`;
}

/** Writes reports with what else the statement writes. */
export const reportPart = definePart<Report>({
  name: "issue_reports",
  columns: COLUMNS,
  text: ({ rows }) => reportedFrom(`(select * from ${rows("given")})`),
});

/** Writes reports in a transaction. */
export async function report(tx: Tx, reports: readonly Report[]): Promise<void> {
  if (reports.length > 0) await tx.commit([reportPart(reports)], "select 1");
}

/**
 * Returns the CTEs that report the attempts of deliveries. `written` has the results of the statement, and `health` each endpoint of them
 * once, so that a success costs nothing but its share of one look-up for each endpoint. The self-test belongs to no workspace.
 */
export const DELIVERY_REPORTS = `watched as materialized (select h.bucket, h.tag, h.endpoint_id, k.kind
      from health h cross join (values ('delivery'), ('transform')) k (kind)
      where h.healthy and ${isWatchedText("h", "h.endpoint_id::text", "k.kind")}),
    reported as (insert into issue_report (bucket, tag, kind, object, id, failed, workspace_id, tenant, code, detail, sample, event_id)
      select w.bucket, w.tag, k.kind, w.endpoint_id::text, w.attempt_id, true, e.workspace_id, e.tenant,
        coalesce(nullif(w.error_class, 'http_status'), w.status_code::text),
        case when w.error_class <> 'http_status' then left(w.error_detail, ${MOST_DETAIL}) end, json_build_object('delivery', w.id)::text, w.event_id
      from written w join endpoint e on e.bucket = w.bucket and e.tag = w.tag and e.id = w.endpoint_id
        cross join lateral (select case when w.error_class = 'transform' then 'transform' else 'delivery' end as kind) k
      where not w.healthy and w.attempt_id is not null and w.tag <> '${SELF_TEST_TAG}' and e.channel_id is null and e.deleted_at is null
      union all
      select w.bucket, w.tag, o.kind, w.endpoint_id::text, w.attempt_id, false, null, null, null, null, null, null
      from watched o join written w on w.bucket = o.bucket and w.tag = o.tag and w.endpoint_id = o.endpoint_id
      where w.healthy and w.attempt_id is not null)`;

export interface ReportRow {
  readonly bucket: number;
  readonly tag: Tag;
  readonly kind: IssueKind;
  readonly object: string;
  readonly id: Uuid;
  readonly at: Date;
  readonly failed: boolean;
  readonly workspace_id: Uuid | null;
  readonly tenant: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly sample: string | null;
  readonly event_id: Uuid | null;
  /** The tenant of the event that could not be processed. */
  readonly event_tenant: string | null;
}

const BUCKETS: HotStatement = {
  name: "issue_report_buckets",
  text: "select b::smallint as bucket from generate_series(0, 63) b where exists (select from issue_report r where r.bucket = b)",
};

export async function reportedBuckets(db: Db): Promise<number[]> {
  return (await db.onEachShard(async () => await db.hot<{ bucket: number }>(BUCKETS, []))).map(({ bucket }) => bucket);
}

const TAKE: HotStatement = {
  name: "issue_reports_take",
  text: `with next as (select bucket, tag, object, kind, id from issue_report where bucket = $1 order by at, id limit $2),
    taken as (delete from issue_report r using next n where r.bucket = n.bucket and r.tag = n.tag and r.object = n.object and r.kind = n.kind
      and r.id = n.id returning r.*)
    select t.*, (select e.tenant from event e where e.bucket = t.bucket and e.tag = t.tag and e.id = t.event_id) as event_tenant
    from taken t order by t.at, t.id`,
};

/** Lets one transaction at a time judge the reports of a bucket, or end the issues of an object in it. */
export async function lockReports(tx: Tx, bucket: number): Promise<void> {
  await lockName(tx, `issue reports ${bucket}`);
}

/** Takes the oldest reports of a bucket. Only one transaction at a time does, so that they are judged in their order. */
export async function takeReports(tx: Tx, bucket: number, limit: number): Promise<ReportRow[]> {
  return await tx.hot<ReportRow & Record<string, unknown>>(TAKE, [bucket, limit]);
}

const FORGET: HotStatement = {
  name: "issue_reports_forget",
  text: "delete from issue_report where bucket = $1 and tag = $2 and object = $3",
};

/** Deletes the reports of an object that was deleted. */
export async function forgetReports(
  tx: Tx,
  { bucket, tag }: Pick<Scope, "bucket" | "tag">,
  object: string,
): Promise<void> {
  await tx.hot(FORGET, [bucket, tag, object]);
}
