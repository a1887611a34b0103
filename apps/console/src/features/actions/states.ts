import type { wire } from "../../api/api.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** One sentence that explains the state. */
  readonly means: string;
}

const PROPOSALS: Readonly<Record<string, Words>> = {
  proposed: { tone: "warn", word: "Pending", means: "The action has not run. It runs when the proposal is approved." },
  approved: { tone: "info", word: "Approved", means: "The action is about to run." },
  executing: { tone: "info", word: "Running", means: "The backend was called and has not responded yet." },
  executed: { tone: "good", word: "Done", means: "The proposal was approved, and the backend ran the action." },
  failed: {
    tone: "bad",
    word: "Failed",
    means: "The proposal was approved, but the call failed. Open the run to see the error.",
  },
  rejected: { tone: "neutral", word: "Rejected", means: "A person rejected the proposal. The action was not run." },
  expired: {
    tone: "neutral",
    word: "Expired",
    means: "The proposal expired without a decision. The action was not run.",
  },
  cancelled: { tone: "neutral", word: "Cancelled", means: "The proposal was cancelled. The action was not run." },
  superseded: {
    tone: "neutral",
    word: "Edited",
    means: "An edited proposal replaced this one. This proposal did not run.",
  },
  undone: { tone: "neutral", word: "Undone", means: "The action ran and was undone." },
  undo_failed: { tone: "bad", word: "Undo failed", means: "The action ran, and undoing it failed." },
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

const RISKS = ["high", "medium", "low"];

export function proposalWords(state: string): Words {
  return PROPOSALS[state] ?? { tone: "neutral", word: state, means: "" };
}

export function runWords(status: string): Words {
  return RUNS[status] ?? { tone: "neutral", word: status, means: "" };
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
