import type { wire } from "../../api/api.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** One sentence that explains the state. */
  readonly means: string;
}

/** The parts of a proposal that its texts depend on. */
type ProposalFacts = Pick<wire.Proposal, "state" | "action" | "contract_version" | "standing_approval_id">;

const NOT_RUN = "The action was not run.";

const PROPOSALS: Readonly<Record<string, Words>> = {
  proposed: { tone: "warn", word: "Pending", means: "The action has not run. It runs when the proposal is approved." },
  approved: { tone: "info", word: "Approved", means: "The action is about to run." },
  executing: { tone: "info", word: "Running", means: "The action was approved and has not ended yet." },
  executed: { tone: "good", word: "Done", means: "The proposal was approved, and the backend ran the action." },
  failed: {
    tone: "bad",
    word: "Failed",
    means: "The proposal was approved, but the call failed. Open the run to see the error.",
  },
  rejected: { tone: "neutral", word: "Rejected", means: `A person rejected the proposal. ${NOT_RUN}` },
  expired: { tone: "neutral", word: "Expired", means: `The proposal expired without a decision. ${NOT_RUN}` },
  cancelled: { tone: "neutral", word: "Cancelled", means: `The proposal was cancelled. ${NOT_RUN}` },
  superseded: {
    tone: "neutral",
    word: "Edited",
    means: "An edited proposal replaced this one. This proposal did not run.",
  },
  undone: { tone: "neutral", word: "Undone", means: "The action ran and was undone." },
  undo_failed: { tone: "bad", word: "Undo failed", means: "The action ran, and undoing it failed." },
};

/** The approval of a workflow's step, which runs no action itself. It ends with the decision. */
const STEPS: Readonly<Record<string, Words>> = {
  proposed: {
    tone: "warn",
    word: "Pending",
    means: "The workflow waits for this decision, and then continues.",
  },
  approved: { tone: "good", word: "Approved", means: "The step was approved, and the workflow continued." },
  rejected: {
    tone: "neutral",
    word: "Rejected",
    means: "A person rejected the step. The workflow took the way for rejections, or failed if it has none.",
  },
  expired: {
    tone: "neutral",
    word: "Expired",
    means: "No one decided in time. The workflow took the way for expired approvals, or failed if it has none.",
  },
  cancelled: { tone: "neutral", word: "Cancelled", means: "The approval was cancelled without a decision." },
};

/** Calls that a standing approval approved in advance. */
const STANDING: Readonly<Record<string, Words>> = {
  executed: {
    tone: "good",
    word: "Done",
    means: "A standing approval approved the call in advance, and the backend ran the action.",
  },
  failed: {
    tone: "bad",
    word: "Failed",
    means: "A standing approval approved the call in advance, but the call failed. Open the run to see the error.",
  },
};

/** Changes that the service makes itself, for an operator tool or a configuration: they call no backend. */
const OPERATIONS: Readonly<Record<string, Words>> = {
  executed: { tone: "good", word: "Done", means: "The proposal was approved, and the change was made." },
  failed: {
    tone: "bad",
    word: "Failed",
    means: "The proposal was approved, but the change failed. Open the run to see the error.",
  },
};

const RUNS: Readonly<Record<string, Words>> = {
  queued: { tone: "info", word: "Queued", means: "The run is waiting to start." },
  executing: { tone: "info", word: "Running", means: "The backend was called and has not responded yet." },
  executed: { tone: "good", word: "Done", means: "The backend ran the action." },
  failed: { tone: "bad", word: "Failed", means: "The call to the backend failed." },
  undone: { tone: "neutral", word: "Undone", means: "The action ran and was undone." },
  undo_failed: { tone: "bad", word: "Undo failed", means: "The action ran, and undoing it failed." },
  dry_run: { tone: "neutral", word: "Dry run", means: "The request was only checked. Nothing was called." },
};

const OPERATION_RUNS: Readonly<Record<string, Words>> = {
  executing: { tone: "info", word: "Running", means: "The change is being made." },
  executed: { tone: "good", word: "Done", means: "The change was made." },
  failed: { tone: "bad", word: "Failed", means: "The change failed." },
};

const RISKS = ["high", "medium", "low"];

export function proposalWords(proposal: ProposalFacts): Words {
  const { state } = proposal;
  return kindWords(proposal)[state] ?? PROPOSALS[state] ?? { tone: "neutral", word: state, means: "" };
}

/** Returns the texts of the states that differ for the proposal's kind. */
function kindWords(proposal: ProposalFacts): Readonly<Record<string, Words>> {
  if (isStep(proposal)) return STEPS;
  if (isOperation(proposal)) return OPERATIONS;
  return proposal.standing_approval_id === null ? {} : STANDING;
}

/** Returns the name of a state, which is the same for each kind of proposal. */
export function stateWord(state: string): string {
  return PROPOSALS[state]?.word ?? state;
}

/** Returns true for the approval of a workflow's step, which has no contract. */
export function isStep({ contract_version: version }: Pick<wire.Proposal, "contract_version">): boolean {
  return version === 0;
}

const OPERATION = /^meta\.(?:ops\.)?(?<subject>\w+)\.(?<verb>\w+)$/;

/** Returns true for a change that the service makes itself, which is in no registry. */
export function isOperation({ action }: Pick<wire.Proposal, "action">): boolean {
  return OPERATION.test(action);
}

/** Returns the name of an action for people. */
export function actionName(action: string): string {
  return action.replace(OPERATION, "$<subject> $<verb>");
}

/** Returns true for an action that is in the registry: neither a workflow's step nor a change that the service makes itself. */
export function isRegistered(of: Pick<wire.Proposal, "action" | "contract_version">): boolean {
  return !isStep(of) && !isOperation(of);
}

/** Returns the effect of an approval, which is that of the last one if several people must approve. */
export function approvalEffect(proposal: Pick<wire.Proposal, "contract_version" | "approvals_required">, left: number) {
  if (left > 1) return `Needs approval from ${left} more people.`;
  return isStep(proposal) ? "Your approval continues the workflow." : "Your approval runs the action immediately.";
}

export function runWords(status: string, action = ""): Words {
  return (
    (isOperation({ action }) ? OPERATION_RUNS : RUNS)[status] ??
    RUNS[status] ?? { tone: "neutral", word: status, means: "" }
  );
}

/** Returns true while people can decide on the proposal. */
export function isOpen(proposal: Pick<wire.Proposal, "state">): boolean {
  return proposal.state === "proposed";
}

/** Returns the proposals with the riskiest first, and the oldest first within a risk. */
export function byUrgency(proposals: readonly wire.Proposal[]): wire.Proposal[] {
  const rank = (proposal: wire.Proposal): number => {
    const found = RISKS.indexOf(proposal.preview.risk);
    return found < 0 ? RISKS.length : found;
  };
  return proposals.toSorted((a, b) => rank(a) - rank(b) || a.created_at.localeCompare(b.created_at));
}
