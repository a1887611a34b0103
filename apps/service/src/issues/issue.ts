import type { Instant, Uuid } from "../lib/lib.ts";
import { after } from "../lib/lib.ts";

export const ISSUE_KINDS = ["delivery", "transform", "source", "connection", "broker", "action"] as const;
export type IssueKind = (typeof ISSUE_KINDS)[number];
export const ISSUE_STATES = ["open", "acknowledged", "resolved", "ignored"] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

/** Failures with the same status or error class and the same message without its varying parts. */
export interface Fingerprint {
  /** The status code or error class. */
  readonly code: string;
  readonly message: string | null;
  readonly count: number;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
}

/** One failure, as a pointer to the log that has the rest. */
export interface Sample {
  readonly at: string;
  readonly code: string;
  readonly message: string | null;
  readonly event_id: string | null;
  readonly delivery_id: string | null;
  readonly receipt_id: string | null;
  readonly run_id: string | null;
}

export interface Failure {
  readonly at: Instant;
  /** The fingerprint is found by these. */
  readonly code: string;
  readonly message: string | null;
  readonly sample: Sample;
}

/** The known failures of one object (contract, section 19). `watching`: not an issue yet. */
export interface Tracked {
  readonly state: "watching" | IssueState;
  readonly recent: readonly Instant[];
  readonly streak: number;
  readonly count: number;
  readonly firstSeenAt: Instant;
  readonly lastSeenAt: Instant;
  readonly openedAt: Instant | null;
  readonly resolvedAt: Instant | null;
  readonly resolvedBy: "service" | "member" | "deletion" | null;
  readonly reopenedCount: number;
  /** The most recent ones come first. */
  readonly fingerprints: readonly Fingerprint[];
  readonly samples: readonly Sample[];
  readonly ignoredUntil: Instant | null;
}

export type Change = "opened" | "reopened" | "resolved";

export const FAILURES_TO_OPEN = 3;
export const OPENING_WINDOW_MS = 10 * 60_000;
export const SUCCESSES_TO_RESOLVE = 5;
const MOST_FINGERPRINTS = 20;
const MOST_SAMPLES = 10;

/** Returns the state after a failure, and what changed. `before`: undefined if nothing is known of the object. */
export function afterFailure(before: Tracked | undefined, failure: Failure): { after: Tracked; change: Change | null } {
  const counted = withFailure(before ?? newlyTracked(failure.at), failure);
  if (counted.state === "resolved") {
    const reopened = { ...counted, ...OPEN, openedAt: failure.at, reopenedCount: counted.reopenedCount + 1 };
    return { after: reopened, change: "reopened" };
  }
  if (counted.state !== "watching") return { after: counted, change: null };
  const recent = [...counted.recent, failure.at].slice(-FAILURES_TO_OPEN);
  const [first] = recent;
  const isOpen = recent.length === FAILURES_TO_OPEN && first !== undefined && failure.at - first <= OPENING_WINDOW_MS;
  return isOpen
    ? { after: { ...counted, ...OPEN, openedAt: failure.at }, change: "opened" }
    : { after: { ...counted, recent }, change: null };
}

/** Returns the state after a success; undefined if the object need no longer be tracked. */
export function afterSuccess(before: Tracked, at: Instant): { after: Tracked | undefined; change: Change | null } {
  const streak = Math.min(before.streak + 1, SUCCESSES_TO_RESOLVE);
  if (streak < SUCCESSES_TO_RESOLVE || before.state === "resolved")
    return { after: { ...before, streak }, change: null };
  if (before.state === "watching") return { after: undefined, change: null };
  // An ignored issue stays so until the time that the person chose.
  if (before.state === "ignored") return { after: { ...before, streak }, change: null };
  return { after: { ...resolved(before, at), streak }, change: "resolved" };
}

/** Returns the state after the time until which an issue was ignored. */
export function afterIgnoring(before: Tracked, at: Instant): { after: Tracked; change: Change } {
  if (before.streak >= SUCCESSES_TO_RESOLVE) return { after: resolved(before, at), change: "resolved" };
  return { after: { ...before, ...OPEN, openedAt: at, ignoredUntil: null }, change: "opened" };
}

/** Returns whether the next success counts. */
export function isWatched({ state, streak, lastSeenAt }: Tracked, now: Instant): boolean {
  if (state === "watching") return after(lastSeenAt, OPENING_WINDOW_MS) > now;
  return state !== "resolved" && streak < SUCCESSES_TO_RESOLVE;
}

const OPEN = { state: "open", recent: [], resolvedAt: null, resolvedBy: null } as const;

function resolved(before: Tracked, at: Instant): Tracked {
  return { ...before, state: "resolved", resolvedAt: at, resolvedBy: "service", ignoredUntil: null };
}

function newlyTracked(at: Instant): Tracked {
  return {
    state: "watching",
    recent: [],
    streak: 0,
    count: 0,
    firstSeenAt: at,
    lastSeenAt: at,
    openedAt: null,
    resolvedAt: null,
    resolvedBy: null,
    reopenedCount: 0,
    fingerprints: [],
    samples: [],
    ignoredUntil: null,
  };
}

function withFailure(before: Tracked, failure: Failure): Tracked {
  const { code, message, sample } = failure;
  const same = before.fingerprints.find((one) => one.code === code && one.message === message);
  const others = before.fingerprints.filter((one) => one !== same);
  const seen: Fingerprint = {
    code,
    message,
    count: (same?.count ?? 0) + 1,
    first_seen_at: same?.first_seen_at ?? sample.at,
    last_seen_at: sample.at,
  };
  return {
    ...before,
    streak: 0,
    count: before.count + 1,
    lastSeenAt: failure.at > before.lastSeenAt ? failure.at : before.lastSeenAt,
    fingerprints: [seen, ...others].slice(0, MOST_FINGERPRINTS),
    samples: [sample, ...before.samples].slice(0, MOST_SAMPLES),
  };
}

/** The ids of what failed, for the sample. */
export interface Failed {
  readonly eventId?: Uuid | null;
  readonly receiptId?: Uuid;
  readonly runId?: Uuid;
}
