import { fromDate, once } from "../lib/lib.ts";
import type { Clock, IdMaker, Loop, TenantKey } from "../lib/lib.ts";
import type { Db, GoneTenant, Tx } from "../platform/db/db.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";
import { scopeOf } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Events } from "../events/events.ts";
import type { Mail, MailComposers } from "../platform/mail/mail.ts";
import { createChanges } from "./changes.ts";
import type { Changes, EndIssues } from "./changes.ts";
import { createIssueActions } from "./issue-actions.ts";
import type { IssueActions } from "./issue-actions.ts";
import { createIssueLog } from "./issue-log.ts";
import type { IssueLog } from "./issue-log.ts";
import { issueMail } from "./issue-mail.ts";
import type { IssueKind } from "./issue.ts";
import * as store from "./issues.store.ts";
import { createIssuesWorker } from "./issues.worker.ts";
import type { IssuesWorkerDeps } from "./issues.worker.ts";
import type { IssueObjects } from "./objects.ts";
import { forgetReports, lockReports } from "./reports.store.ts";
import { headOf, rowOf, trackedOf } from "./issue-row.ts";

export { DELIVERY_REPORTS, report, reportedFrom, reportPart } from "./reports.store.ts";
export type { Report } from "./reports.store.ts";
export type { EndIssues } from "./changes.ts";
export type { IssueKind } from "./issue.ts";
export type { IssueObjects, Replayable } from "./objects.ts";

/** The failures of objects, grouped (contract, section 19). */
export interface Issues extends IssueLog, IssueActions, Pick<Loop, "start" | "stop"> {
  /** Reports were committed that are worth a look now. Others are found within two seconds. */
  reported(): void;
  readonly ended: EndIssues;
  readonly mails: MailComposers;
  readonly ofTenants: { eraseOfTenant(tx: Tx, place: TenantKey, gone: GoneTenant): Promise<number> };
  openByKind(): Promise<readonly { readonly kind: string; readonly count: number }[]>;
}

export interface IssuesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly mail: Mail;
  readonly baseUrl: string;
  readonly events: Pick<Events, "announce">;
  /** The facts that the modules know of the objects that they report. */
  readonly objects: () => readonly IssueObjects[];
  nameOf(workspaceId: Scope["workspaceId"]): Promise<string>;
}

export function createIssues(given: IssuesDeps): Issues {
  const byKind = once(
    () => new Map(given.objects().flatMap((one) => one.kinds.map((kind): [IssueKind, IssueObjects] => [kind, one]))),
  );
  const deps = { ...given, objects: (kind: IssueKind): IssueObjects | undefined => byKind().get(kind) };
  const { db } = deps;
  const changes = createChanges(deps);
  const isThere: IssuesWorkerDeps["isThere"] = async (query, { kind, object, workspace_id: workspaceId, tag }) =>
    (await deps.objects(kind)?.names(query, scopeOf(workspaceId, tag), [object]))?.has(object) === true;
  const ended = endIssues(changes);
  const worker = createIssuesWorker({
    ...deps,
    announce: changes.announce,
    isThere,
    ended,
  });
  return {
    ...createIssueLog(deps),
    ...createIssueActions({ ...deps, changes }),
    start: worker.start,
    stop: worker.stop,
    reported: worker.wake,
    ended,
    mails: { issue_opened: issueMail(deps, "opened"), issue_resolved: issueMail(deps, "resolved") },
    ofTenants: { eraseOfTenant: async (tx, place, gone) => await store.eraseTenant(tx, place, gone) },
    openByKind: async () => await store.openByKind(db),
  };
}

function endIssues(changes: Pick<Changes, "fire">): EndIssues {
  return async (tx, place, object) => {
    // A worker that judges reports of the object opens its issue before or not at all.
    await lockReports(tx, place.bucket);
    for (const row of await store.holdOfObject(tx, place, object)) await endOne(changes, tx, row);
    await forgetReports(tx, place, object);
  };
}

async function endOne(changes: Pick<Changes, "fire">, tx: Tx, row: store.HeldIssue): Promise<void> {
  if (row.state === "watching") return await store.deleteIssue(tx, row);
  const [head, before, now] = [headOf(row), trackedOf(row), fromDate(row.held_at)];
  const isOver = before.state === "resolved";
  const ended = { state: "resolved", resolvedAt: now, resolvedBy: "deletion", ignoredUntil: null } as const;
  const tracked = isOver ? before : { ...before, ...ended };
  await store.saveIssue(tx, rowOf({ ...head, mailed: false }, tracked, { now, current: false }));
  if (!isOver) await changes.fire(tx, { head, tracked, change: "resolved" });
}
