import { fromDate, isRecord, parseId, parseJson, uuidTime, wireId } from "../../lib/lib.ts";
import type { Id, Instant } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { urlFor } from "../proposals/proposal-view.ts";
import { runText } from "./run-view.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import type { Surface } from "../callers/surface.ts";
import type { RunRow } from "./runs.store.ts";
import { findFollowed } from "./followed.store.ts";
import type { FollowedRow } from "./followed.store.ts";

/** The state of a request that became a proposal, for the caller that waits for its result. */
export interface FollowedProposal {
  /** The proposal that people decide on: the one that was asked for, or its last edit. */
  readonly id: Id;
  /** The key of its contract. */
  readonly action: string;
  /** `running` lasts from the last approval to the end of the run. */
  readonly state: "proposed" | "running" | "executed" | "failed" | "rejected" | "expired" | "cancelled";
  /** Null for a customer, who cannot open the page. */
  readonly approveUrl: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The time by which people must decide. */
  readonly expiresAt: Instant;
  /** The reason of a rejection, in the words of the person. */
  readonly reason: string | null;
  /** The run as JSON text, as its readers see it; null before its end. */
  readonly run: string | null;
}

/** The caller that waits. It sees only what it proposed itself, from this surface. */
export interface Follower {
  readonly scope: Scope;
  readonly author: Author;
  readonly surface: Surface;
}

/** Returns undefined for an unknown proposal, one of another caller, and one of another workspace or environment. One statement. */
export async function follow(deps: ActionDeps, follower: Follower, id: string): Promise<FollowedProposal | undefined> {
  const { scope } = follower;
  const parsed = parseId(id);
  if (parsed?.prefix !== "prop" || parsed.tag !== scope.tag) return undefined;
  const row = await findFollowed(deps.db.query, { ...scope, id: parsed.uuid });
  if (row === undefined || !isOwn(row, follower)) return undefined;
  const now = deps.clock.now();
  const state = stateOf(row, now);
  const run = runOf(row);
  return {
    id: wireId("prop", scope.tag, row.followed_id),
    action: row.followed_action,
    state,
    approveUrl: urlFor({ scope, baseUrl: deps.baseUrl }, row.followed_id),
    createdAt: uuidTime(parsed.uuid),
    updatedAt: updatedAt(row),
    expiresAt: fromDate(row.followed_expires_at),
    reason: reasonOf(row.followed_decision),
    run: run !== undefined && ENDED.has(state) ? runText({ scope, now }, run) : null,
  };
}

function isOwn(row: FollowedRow, { author, surface }: Follower): boolean {
  return row.author_kind === author.kind && row.author_id === author.id && row.followed_surface === surface;
}

function updatedAt(row: FollowedRow): Instant {
  const at = row.ended_at ?? row.followed_ended_at ?? row.started_at;
  return at === null ? uuidTime(row.followed_id) : fromDate(at);
}

const ENDED: ReadonlySet<FollowedProposal["state"]> = new Set(["executed", "failed"]);

const STATES_OF_RUNS: Readonly<Record<string, FollowedProposal["state"]>> = {
  queued: "running",
  executing: "running",
  executed: "executed",
  failed: "failed",
  // The action ran, and was undone later.
  undone: "executed",
  undo_failed: "executed",
};

const STATES: Readonly<Record<string, FollowedProposal["state"]>> = {
  proposed: "proposed",
  rejected: "rejected",
  expired: "expired",
};

function stateOf(row: FollowedRow, now: Instant): FollowedProposal["state"] {
  const ofRun = row.status === null ? undefined : STATES_OF_RUNS[row.status];
  if (ofRun !== undefined) return ofRun;
  if (row.followed_state === "approved" || row.followed_state === "executing") return "running";
  if (row.followed_state === "proposed" && fromDate(row.followed_expires_at) <= now) return "expired";
  return STATES[row.followed_state] ?? "cancelled";
}

/** The columns of a run are null together. */
function runOf(row: FollowedRow): RunRow | undefined {
  return row.id === null ? undefined : (row as FollowedRow & RunRow);
}

function reasonOf(decision: string | null): string | null {
  const parsed = decision === null ? null : parseJson(decision);
  return isRecord(parsed) && typeof parsed["reason"] === "string" ? parsed["reason"] : null;
}
