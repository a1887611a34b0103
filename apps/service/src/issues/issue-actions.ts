import { fromDate, parseTimestamp, orNotFound, ServiceError } from "../lib/lib.ts";
import type { Instant, Uuid, Violation, t } from "../lib/lib.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import { isMember, ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Changes } from "./changes.ts";
import type { IssueKind, IssueState, Tracked } from "./issue.ts";
import { holdIssue, saveIssue } from "./issues.store.ts";
import { existingIssue } from "./issue-log.ts";
import type { IssueRow } from "./issues.store.ts";
import type { IssueObjects, Replayable } from "./objects.ts";
import { headOf, rowOf, trackedOf } from "./issue-row.ts";
import { issueView } from "./issue-views.ts";
import type { IssueView } from "./issue-views.ts";
import type * as shapes from "./issues.schemas.ts";

export type IssueChange = t.Static<typeof shapes.IssueChangeBody>;

/** The changes that people make to issues. */
export type IssueActions = ReturnType<typeof createIssueActions>;

export interface IssueActionsDeps {
  readonly db: Db;
  readonly objects: (kind: IssueKind) => IssueObjects | undefined;
  readonly changes: Pick<Changes, "fire">;
}

export function createIssueActions(deps: IssueActionsDeps) {
  const { db } = deps;

  async function replayable(
    scope: Scope,
    id: string,
  ): Promise<readonly [NonNullable<IssueObjects["replays"]>, Replayable]> {
    const row = await existingIssue(db.query, scope, id);
    const kind = row.kind as IssueKind;
    const replays = deps.objects(kind)?.replays;
    if (replays === undefined)
      throw new ServiceError("conflict", {
        detail: `Failures of the kind ${kind} cannot be replayed. Issues of the kinds delivery and transform can.`,
      });
    return [replays, { kind, object: row.object, since: fromDate(row.first_seen_at) }];
  }

  return {
    /** Throws 409 `conflict` for a change that the state does not allow, and 422 for an unknown member. */
    change: async (scope: Scope, id: string, wanted: IssueChange): Promise<IssueView> =>
      await db.transaction(async (tx) => await change(deps, tx, { scope, id, wanted })),
    /** Counts the deliveries that `replay` would send. */
    async countReplay(scope: Scope, id: string): Promise<{ readonly count: number }> {
      const [replays, issue] = await replayable(scope, id);
      return { count: await replays.count(scope, issue) };
    },
    /** Replays what failed, in the background. Throws 409 `conflict` for an issue whose failures cannot be replayed. */
    async replay(scope: Scope, id: string): Promise<{ readonly count: number; readonly job_id: string }> {
      const [replays, issue] = await replayable(scope, id);
      return await replays.start(scope, issue);
    },
  };
}

interface RequestedChange {
  readonly scope: Scope;
  readonly id: string;
  readonly wanted: IssueChange;
}

async function change(deps: IssueActionsDeps, tx: Tx, { scope, id, wanted }: RequestedChange): Promise<IssueView> {
  const owner = await ownerOf(tx, scope, wanted.owner);
  const row = orNotFound(await holdIssue(tx, scope, ownUuid(scope, "iss", id)));
  const now = await deps.db.now();
  const before = trackedOf(row);
  const after = changed(row, before, wanted, now);
  const byHand = wanted.state === "resolved";
  const head = { ...headOf(row), ...(owner !== undefined && { owner }), ...(byHand && { mailed: false }) };
  const saved = rowOf(head, after, { now, current: row.current && !byHand });
  await saveIssue(tx, saved);
  if (byHand && before.state !== "resolved") await deps.changes.fire(tx, { head, tracked: after, change: "resolved" });
  return await issueView(deps, tx.query, scope, saved);
}

/** Returns the member's id; undefined if the owner stays. */
async function ownerOf(tx: Tx, scope: Scope, owner: string | null | undefined): Promise<Uuid | null | undefined> {
  if (owner === undefined || owner === null) return owner;
  const id = ownUuid(scope, "mem", owner);
  if (await isMember(tx.query, scope.workspaceId, id)) return id;
  throw refused([{ pointer: "/owner", code: "unknown", message: "must be the id of a member of the workspace" }]);
}

function changed(row: IssueRow, before: Tracked, wanted: IssueChange, now: Instant): Tracked {
  const state = wanted.state ?? before.state;
  if (wanted.state !== undefined && wanted.state !== before.state) assertAllowed(row, wanted.state);
  const ignoredUntil = state === "ignored" ? ignoredUntilOf(before, wanted, now) : null;
  if (state !== "ignored" && typeof wanted.ignored_until === "string")
    throw refused([{ pointer: "/ignored_until", code: "state", message: "is only for the state `ignored`" }]);
  if (wanted.state !== "resolved") return { ...before, state, ignoredUntil };
  const resolvedAt = before.state === "resolved" ? before.resolvedAt : now;
  return { ...before, state, ignoredUntil, resolvedAt, resolvedBy: "member" };
}

function assertAllowed({ current, state }: IssueRow, wanted: IssueState): void {
  if (!current)
    throw new ServiceError("conflict", {
      detail: "The issue was resolved by hand, or its object was deleted. New failures open another issue.",
    });
  if (state === "resolved" && wanted !== "ignored")
    throw new ServiceError("conflict", {
      detail: "The issue is resolved. The next failure opens it again.",
    });
}

function ignoredUntilOf(before: Tracked, wanted: IssueChange, now: Instant): Instant | null {
  if (wanted.ignored_until === undefined) return before.state === "ignored" ? before.ignoredUntil : null;
  if (wanted.ignored_until === null) return null;
  const until = parseTimestamp(wanted.ignored_until, "/ignored_until") ?? now;
  if (until > now) return until;
  throw refused([{ pointer: "/ignored_until", code: "range", message: "must be in the future" }]);
}

function refused(errors: Violation[]): ServiceError {
  return new ServiceError("validation_failed", { errors });
}
