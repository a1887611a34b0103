import type { Db, Tx } from "../../platform/db/db.ts";
import { changeSubject, settingsOf } from "../../accounts/accounts.ts";
import type { GuardedChange, Scope, StepUpMethod } from "../../accounts/accounts.ts";
import { canonicalJson, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Risk } from "../contracts/contract.ts";
import { readOwnProposal } from "../proposals/decide-proposal.ts";
import { settingsAtDecision } from "../proposals/proposals.store.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import type { StandingApprovalInput } from "../standing-approvals/standing-input.ts";

/** Returns what the approval of a proposal in this form is known by to a step-up. */
export function approvalSubject(
  { tag }: Pick<Scope, "tag">,
  { id, params_hash: hash }: Pick<ProposalRow, "id" | "params_hash">,
): Buffer {
  const decision = { decision: "proposals.approve", id: wireId("prop", tag, id), params_hash: hash.toString("hex") };
  return sha256(canonicalJson(decision));
}

/** Returns what a standing approval with exactly these terms is known by to a step-up. */
export function standingSubject({ tag }: Pick<Scope, "tag">, terms: StandingApprovalInput): Buffer {
  return sha256(canonicalJson({ decision: "standing_approvals.create", tag, terms }));
}

/** Names what a step-up is for: approvals of proposals in the form that was reviewed, one standing approval, or one change of a guard. */
export interface StepUpInput {
  readonly proposals?: readonly { readonly id: string; readonly params_hash: string }[];
  readonly standing_approval?: StandingApprovalInput;
  readonly change?: GuardedChange;
}

/** Returns what the step-up is for. Throws 404 for an unknown proposal, 409 for another hash, and 422 unless exactly one is named. */
export async function subjectsOf(db: Db, scope: Scope, input: StepUpInput): Promise<Buffer[]> {
  const { proposals, standing_approval: terms, change } = input;
  if ([proposals, terms, change].filter((one) => one !== undefined).length !== 1) {
    const message = "must be sent, or standing_approval, or change, and only one of them";
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/proposals", code: "required", message }] });
  }
  if (terms !== undefined) return [standingSubject(scope, terms)];
  if (change !== undefined) return [changeSubject(scope, change)];
  const subjects = new Map<string, Buffer>();
  for (const { id, params_hash: hash } of proposals ?? []) {
    const row = await readOwnProposal({ db }, scope, id);
    if (hash !== row.params_hash.toString("hex")) {
      throw new ServiceError("proposal_changed", {
        detail: `The params_hash does not match ${id}. Review the proposal again, and send its current hash.`,
      });
    }
    subjects.set(row.id, approvalSubject(scope, row));
  }
  return [...subjects.values()];
}

interface Decided {
  readonly scope: Scope;
  /** The risk of the action. Undefined for what runs no action. */
  readonly risk: Risk | undefined;
  /** The proof that was used up for this decision. */
  readonly stepUp: StepUpMethod | undefined;
  /** The page of the console on which a person decides. */
  readonly where: string;
}

/**
 * Throws 403 `step_up_required` if the workspace asks for a repeated proof of identity and there is none. The setting is
 * that of the deciding transaction.
 */
export async function assertSteppedUp(tx: Tx, { scope, risk, stepUp, where }: Decided): Promise<void> {
  if (risk !== "high" || stepUp !== undefined) return;
  const settings = await settingsAtDecision(tx, scope.workspaceId);
  if (!settingsOf(settings).require_step_up) return;
  throw new ServiceError("step_up_required", {
    detail: `This action has a high risk. Decide in the console, which asks for your passkey or a code: ${where}. A key, a rule and Slack cannot.`,
  });
}

/** Returns the member of an approval that says how the person proved again who they are. */
export function stepUpOf({ stepUp }: { readonly stepUp: StepUpMethod | undefined }): { step_up?: StepUpMethod } {
  return stepUp === undefined ? {} : { step_up: stepUp };
}
