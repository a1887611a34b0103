import { canonicalJson, ServiceError, sha256 } from "../../lib/lib.ts";
import type { Id, Instant, Uuid } from "../../lib/lib.ts";
import type { Role } from "../../accounts/accounts.ts";
import { identitiesOf } from "../callers/actor.ts";

/** The states of a proposal (contract, section 7, "Proposals"). */
export const PROPOSAL_STATES = [
  "proposed",
  "approved",
  "executing",
  "executed",
  "failed",
  "rejected",
  "expired",
  "cancelled",
  "superseded",
  "undone",
  "undo_failed",
] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** Returns what an approval covers: the SHA-256 of the RFC 8785 form of these members and nothing else. */
export function paramsHash(call: {
  readonly action: string;
  readonly version: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}): Buffer {
  return sha256(canonicalJson({ action: call.action, contract_version: call.version, parameters: call.parameters }));
}

/** The part of a proposal that determines whether it can still be decided. */
export interface Open {
  readonly state: ProposalState;
  readonly expiresAt: Instant;
  readonly supersededBy: Id | null;
}

/** Throws 409 unless the proposal waits for a decision. It expires exactly at `expiresAt`. */
export function assertDecidable({ state, expiresAt, supersededBy }: Open, now: Instant): void {
  if (state === "superseded") {
    throw new ServiceError("proposal_changed", {
      detail: `The proposal was edited: decide on ${supersededBy ?? "the new proposal"} instead.`,
      ...(supersededBy === null ? {} : { extra: { superseded_by: supersededBy } }),
    });
  }
  if (state === "expired" || (state === "proposed" && expiresAt <= now)) {
    throw new ServiceError("proposal_expired", {
      detail: "The proposal's expires_at passed without a decision. Request the action again.",
    });
  }
  if (state !== "proposed") {
    throw new ServiceError("already_decided", { detail: `The proposal is already ${state}.` });
  }
}

/** The rules by which a proposal accepts an approver. */
export interface Approvers {
  readonly approverRoles: readonly string[];
  readonly fourEyes: boolean;
  /** The people who requested or edited it. Proposals from before 0036 have their memberships. */
  readonly involved: readonly Uuid[];
  /** If the workspace has only one member: whether its settings let them approve alone. */
  readonly solo: "allowed" | "forbidden" | null;
}

/**
 * Throws 403 unless this person may approve the proposal. `memberId` is null if the caller is not a person. `people`
 * are all people that the caller counts as.
 */
export function assertApprover(
  { approverRoles, fourEyes, involved, solo }: Approvers,
  by: { readonly memberId: Uuid | null; readonly people: readonly Uuid[]; readonly role: Role },
): void {
  if (by.memberId === null) {
    throw new ServiceError("human_approval_required", {
      detail: "Approve with a console session, or with a key that is bound to a person.",
    });
  }
  if (!approverRoles.includes(by.role)) {
    throw new ServiceError("role_not_allowed", {
      detail: `Only these roles can decide: ${approverRoles.join(", ")}. You act as ${by.role}.`,
    });
  }
  if (fourEyes && solo !== "allowed" && areAmong(identitiesOf(by), involved))
    throw new ServiceError("self_approval_forbidden", { detail: solo === null ? ASK_ANOTHER : SOLO });
}

const ASK_ANOTHER = "The requester and editors of this action cannot approve it. Ask another person to approve it.";
const SOLO =
  "The requester of this action cannot approve it, and the workspace has no other member. Invite a second person, or let an owner set `solo_approval` to true with PATCH /v1/workspaces/current.";

/** Returns true if one of `ids` is among `those`. */
export function areAmong(ids: readonly Uuid[], those: readonly Uuid[]): boolean {
  return ids.some((id) => those.includes(id));
}
