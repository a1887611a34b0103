import type { Db } from "../../platform/db/db.ts";
import { changeSubject } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { ServiceError } from "../../lib/lib.ts";
import { approvalSubject } from "../proposals/approve.ts";
import { readOwnProposal } from "../proposals/decide-proposal.ts";
import { standingSubject } from "../standing-approvals/standing-input.ts";
import type { StepUpInput } from "./step-ups.schemas.ts";

/**
 * Returns what a step-up is for: approvals of proposals in the form that was reviewed, one standing approval, or one
 * change of a guard. Throws 404 for an unknown proposal, 409 for another hash, and 422 unless exactly one
 * is named.
 */
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
