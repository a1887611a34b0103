import { createLoop, fromDate, instant, parseJson, timeText, toDate, wireId } from "../lib/lib.ts";
import type { Clock, IdMaker, Loop, Uuid } from "../lib/lib.ts";
import type { Db, Query, Tx } from "../platform/db/db.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";
import { afterFailure, afterIgnoring, afterSuccess } from "./issue.ts";
import type { Change, Failure, Tracked } from "./issue.ts";
import type { Announced, EndIssues, Mailed } from "./changes.ts";
import * as store from "./issues.store.ts";
import { withoutVaryingParts } from "./issue-message.ts";
import { lockReports, reportedBuckets, takeReports } from "./reports.store.ts";
import type { ReportRow } from "./reports.store.ts";
import { headOf, rowOf, trackedOf } from "./issue-row.ts";
import type { IssueHead } from "./issue-row.ts";

export interface IssuesWorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  /** Announces a change in its transaction, and returns what people were informed of. */
  announce(tx: Tx, announced: Announced): Promise<Mailed>;
  /** Returns false if the object was deleted. */
  isThere(query: Query, head: IssueHead): Promise<boolean>;
  readonly ended: EndIssues;
}

/** The reports of one bucket that are judged in one transaction. */
const AT_ONCE = 500;
const AGAIN_MS = 50;
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 2000;
const SWEEP_EVERY_MS = 15_000;

/**
 * Judges what was reported, in the order of the reports. Reports and their effects are one transaction, so that a process that is killed loses
 * none and counts none twice.
 */
export function createIssuesWorker(deps: IssuesWorkerDeps): Loop {
  let pauseMs = LEAST_PAUSE_MS;
  let sweptMs = -Infinity;
  return createLoop({
    async round(stopping) {
      const buckets = await reportedBuckets(deps.db);
      for (const bucket of buckets)
        if (!stopping.aborted) await deps.db.at(bucket, async () => await judgeBucket(deps, bucket, stopping));
      if (deps.clock.monotonicMs() - sweptMs > SWEEP_EVERY_MS) {
        sweptMs = deps.clock.monotonicMs();
        await sweep(deps);
      }
      // A change that follows a failure soon is found soon.
      pauseMs = buckets.length > 0 ? LEAST_PAUSE_MS : Math.min(2 * pauseMs, MOST_PAUSE_MS);
      return buckets.length > 0 ? AGAIN_MS : pauseMs;
    },
    failed(error) {
      deps.log.warn({ err: error }, "failed to judge reported failures; retrying");
      return MOST_PAUSE_MS;
    },
  });
}

async function judgeBucket(deps: IssuesWorkerDeps, bucket: number, stopping: AbortSignal): Promise<void> {
  for (let judged = AT_ONCE; judged === AT_ONCE && !stopping.aborted;)
    judged = await deps.db.transaction(async (tx) => {
      await lockReports(tx, bucket);
      const reports = await takeReports(tx, bucket, AT_ONCE);
      await judge(deps, tx, reports);
      return reports.length;
    });
}

/** An object of the reports that are judged. */
interface Judged {
  /** Undefined until it fails. */
  head: IssueHead | undefined;
  tracked: Tracked | undefined;
  /** The issue of the object that is no longer needed. */
  readonly gone: IssueHead[];
  readonly changes: { readonly change: Change; readonly tracked: Tracked }[];
  readonly failures: { readonly report: ReportRow; readonly issue: Uuid }[];
  readonly reports: ReportRow[];
}

async function judge(deps: IssuesWorkerDeps, tx: Tx, reports: readonly ReportRow[]): Promise<void> {
  const objects = new Map<string, Judged>();
  for (const report of reports) {
    const key = keyOf(report);
    const known = objects.get(key) ?? newlyJudged();
    objects.set(key, known);
    known.reports.push(report);
  }
  const held = await store.holdCurrent(
    tx,
    [...objects.values()].flatMap((known) => known.reports.slice(0, 1)),
  );
  for (const row of held) {
    const known = objects.get(keyOf(row));
    if (known !== undefined) Object.assign(known, { head: headOf(row), tracked: trackedOf(row) });
  }
  for (const known of objects.values()) {
    for (const report of known.reports) step(deps, known, report);
    await write(deps, tx, known);
  }
}

function newlyJudged(): Judged {
  return { head: undefined, tracked: undefined, gone: [], changes: [], failures: [], reports: [] };
}

function keyOf({ tag, kind, object }: Pick<ReportRow, "tag" | "object"> & { readonly kind: string }): string {
  return `${tag} ${kind} ${object}`;
}

function step({ ids }: IssuesWorkerDeps, known: Judged, report: ReportRow): void {
  const { change, after } = report.failed
    ? afterFailure(known.tracked, failureOf(report))
    : known.tracked === undefined
      ? { change: null, after: undefined }
      : afterSuccess(known.tracked, fromDate(report.at));
  known.tracked = after;
  if (after === undefined) {
    if (known.head !== undefined) known.gone.push(known.head);
    known.head = undefined;
    return;
  }
  known.head ??= newHead(ids.uuid(), report);
  if (report.failed) known.failures.push({ report, issue: known.head.id });
  if (change !== null) known.changes.push({ change, tracked: after });
}

function newHead(id: Uuid, { bucket, tag, kind, object, tenant, workspace_id: workspaceId }: ReportRow): IssueHead {
  if (workspaceId === null) throw new Error("a reported failure has no workspace");
  const head = { bucket, tag, id, workspace_id: workspaceId, kind, object, tenant };
  return { ...head, owner: null, mailed_at: null, mailed: false };
}

function failureOf({ at, code, detail, sample, tag, event_id: eventId }: ReportRow): Failure {
  const { delivery, receipt, run } = parseJson(sample ?? "{}") as {
    readonly [Cause in "delivery" | "receipt" | "run"]?: Uuid;
  };
  const seen = { code: code ?? "unknown", message: withoutVaryingParts(detail) };
  return {
    at: fromDate(at),
    ...seen,
    sample: {
      at: timeText(at),
      ...seen,
      event_id: eventId === null ? null : wireId("evt", tag, eventId),
      delivery_id: delivery === undefined ? null : wireId("dlv", tag, delivery),
      receipt_id: receipt === undefined ? null : wireId("rcp", tag, receipt),
      run_id: run === undefined ? null : wireId("run", tag, run),
    },
  };
}

async function write(deps: IssuesWorkerDeps, tx: Tx, known: Judged): Promise<void> {
  for (const head of known.gone) await store.deleteIssue(tx, head);
  const { tracked } = known;
  let { head } = known;
  if (head === undefined || tracked === undefined) return;
  const opens = known.changes.some(({ change }) => change !== "resolved");
  // An attempt that was running when its object was deleted can fail afterwards.
  if (opens && !(await deps.isThere(tx.query, head))) return await store.deleteIssue(tx, head);
  for (const { change, tracked: then } of known.changes)
    head = { ...head, ...(await deps.announce(tx, { head, tracked: then, change })) };
  const last = known.reports.at(-1);
  if (last === undefined) return;
  await store.saveIssue(tx, rowOf(head, tracked, { now: fromDate(last.at), current: true }));
  await count(tx, head, known);
}

/** Counts the failures by hour and by tenant, those of an issue that is kept. */
async function count(tx: Tx, head: IssueHead, { failures }: Judged): Promise<void> {
  const own = failures.filter(({ issue }) => issue === head.id).map(({ report }) => report);
  for (const [hour, of] of Map.groupBy(own, ({ at }) => Math.floor(at.getTime() / 3_600_000)))
    await store.countInHour(tx, head, toDate(instant(hour * 3_600_000)), of.length);
  for (const [tenant, of] of Map.groupBy(own, (report) => report.event_tenant)) {
    const last = of.at(-1);
    if (tenant !== null && last !== undefined)
      await store.countForTenant(tx, head, { tenant, at: last.at, count: of.length });
  }
}

/** Ends what time ends: that an issue is ignored, and the counting of failures that were long ago. */
async function sweep(deps: IssuesWorkerDeps): Promise<void> {
  await store.forgetCalm(deps.db);
  // Actions and connectors are removed in several ways, also by the operator.
  for (const row of await store.issuesOfKeys(deps.db))
    await deps.db.at(row.bucket, async () => await endIfGone(deps, row));
  for (const row of await store.noLongerIgnored(deps.db))
    await deps.db.at(row.bucket, async () => await deps.db.transaction(async (tx) => await endIgnoring(deps, tx, row)));
}

async function endIfGone(deps: IssuesWorkerDeps, row: store.IssueRow): Promise<void> {
  if (await deps.isThere(deps.db.query, headOf(row))) return;
  await deps.db.transaction(async (tx) => await deps.ended(tx, row, row.object));
}

async function endIgnoring(deps: IssuesWorkerDeps, tx: Tx, found: store.IssueRow): Promise<void> {
  const row = await store.holdIssue(tx, { bucket: found.bucket, tag: found.tag }, found.id);
  // A person was first, or another node.
  if (row?.state !== "ignored" || row.ignored_until?.getTime() !== found.ignored_until?.getTime()) return;
  const now = await deps.db.now();
  const { after: tracked, change } = afterIgnoring(trackedOf(row), now);
  const head = headOf(row);
  const mailed = await deps.announce(tx, { head, tracked, change });
  await store.saveIssue(tx, rowOf({ ...head, ...mailed }, tracked, { now, current: row.current }));
}
