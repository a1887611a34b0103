import { canonicalJson, fromDate, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import type { Role } from "../../accounts/accounts.ts";
import { identitiesOf } from "../callers/actor.ts";
import type { ProposalRow } from "./proposals.store.ts";

/** Returns what an approval covers: the SHA-256 of the RFC 8785 form of these members and nothing else. */
export function paramsHash(call: {
  readonly action: string;
  readonly version: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}): Buffer {
  return sha256(canonicalJson({ action: call.action, contract_version: call.version, parameters: call.parameters }));
}

/** Throws 409 unless the proposal waits for a decision. It expires exactly at `expires_at`. */
export function assertDecidable({ state, tag, expires_at, superseded_by }: ProposalRow, now: Instant): void {
  if (state === "superseded") {
    const next = superseded_by === null ? null : wireId("prop", tag, superseded_by);
    throw new ServiceError("proposal_changed", {
      detail: `The proposal was edited: decide on ${next ?? "the new proposal"} instead.`,
      ...(next === null ? {} : { extra: { superseded_by: next } }),
    });
  }
  if (state === "expired" || (state === "proposed" && fromDate(expires_at) <= now)) {
    throw new ServiceError("proposal_expired", {
      detail: "The proposal's expires_at passed without a decision. Request the action again.",
    });
  }
  if (state !== "proposed") {
    throw new ServiceError("already_decided", { detail: `The proposal is already ${state}.` });
  }
}

/** The rules by which a proposal accepts an approver. `involved` are the people who requested or edited it, or their memberships. */
export type ApproverRules = Pick<ProposalRow, "approver_roles" | "four_eyes" | "involved">;

/**
 * Throws 403 unless this person may approve the proposal. `memberId` is null if the caller is not a person. `people`
 * are all people that the caller counts as. `solo`: if the workspace has only one member, whether its settings let them
 * approve alone.
 */
export function assertApprover(
  { approver_roles: approverRoles, four_eyes: fourEyes, involved }: ApproverRules,
  by: { readonly memberId: Uuid | null; readonly people: readonly Uuid[]; readonly role: Role },
  solo: "allowed" | "forbidden" | null = null,
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
