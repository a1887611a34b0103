import { fromDate, parseJson, parseRfc3339, toDate, toRfc3339 } from "../lib/lib.ts";
import type { Instant, TenantKey, Uuid } from "../lib/lib.ts";
import { isWatched } from "./issue.ts";
import type { Fingerprint, IssueKind, Sample, Tracked } from "./issue.ts";
import type { IssueRow } from "./issues.store.ts";

/** The columns of an issue that its failures do not change. */
export interface IssueHead extends TenantKey {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly kind: IssueKind;
  readonly object: string;
  readonly tenant: string | null;
  readonly owner: Uuid | null;
  readonly mailed_at: Date | null;
  readonly mailed: boolean;
}

export function headOf(row: IssueRow): IssueHead {
  const { bucket, tag, id, workspace_id, object, tenant, owner, mailed_at, mailed } = row;
  return { bucket, tag, id, workspace_id, kind: row.kind as IssueKind, object, tenant, owner, mailed_at, mailed };
}

export function trackedOf(row: IssueRow): Tracked {
  return {
    state: row.state as Tracked["state"],
    recent: (parseJson(row.recent) as string[]).map(instantOf),
    streak: row.streak,
    count: row.count,
    firstSeenAt: fromDate(row.first_seen_at),
    lastSeenAt: fromDate(row.last_seen_at),
    openedAt: orInstant(row.opened_at),
    resolvedAt: orInstant(row.resolved_at),
    resolvedBy: row.resolved_by as Tracked["resolvedBy"],
    reopenedCount: row.reopened_count,
    fingerprints: fingerprintsOf(row),
    samples: samplesOf(row),
    ignoredUntil: orInstant(row.ignored_until),
  };
}

export function fingerprintsOf({ fingerprints }: Pick<IssueRow, "fingerprints">): Fingerprint[] {
  return parseJson(fingerprints) as Fingerprint[];
}

export function samplesOf({ samples }: Pick<IssueRow, "samples">): Sample[] {
  return parseJson(samples) as Sample[];
}

/** Returns the row of an issue. `current`: false once its next failure begins another one. */
export function rowOf(
  head: IssueHead,
  tracked: Tracked,
  { now, current }: { now: Instant; current: boolean },
): IssueRow {
  return {
    ...head,
    state: tracked.state,
    current,
    watched: current && isWatched(tracked, now),
    recent: JSON.stringify(tracked.recent.map((at) => toRfc3339(at))),
    streak: tracked.streak,
    count: tracked.count,
    first_seen_at: toDate(tracked.firstSeenAt),
    last_seen_at: toDate(tracked.lastSeenAt),
    opened_at: orDate(tracked.openedAt),
    resolved_at: orDate(tracked.resolvedAt),
    resolved_by: tracked.resolvedBy,
    reopened_count: tracked.reopenedCount,
    fingerprints: JSON.stringify(tracked.fingerprints),
    samples: JSON.stringify(tracked.samples),
    ignored_until: orDate(tracked.ignoredUntil),
  };
}

function instantOf(text: string): Instant {
  const at = parseRfc3339(text);
  if (at === undefined) throw new Error("the time of a failure cannot be read");
  return at;
}

function orInstant(date: Date | null): Instant | null {
  return date === null ? null : fromDate(date);
}

function orDate(at: Instant | null): Date | null {
  return at === null ? null : toDate(at);
}
