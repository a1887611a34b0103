import type { wire } from "../../api/api.ts";
import type { Tone } from "../../ui/ui.ts";

interface Words {
  readonly tone: Tone;
  readonly word: string;
  /** One sentence: what that means now. */
  readonly means: string;
}

const PROPOSALS: Readonly<Record<string, Words>> = {
  proposed: { tone: "warn", word: "Waiting", means: "Nothing has happened. It runs once it is approved." },
  approved: { tone: "info", word: "Approved", means: "It is about to run." },
  executing: { tone: "info", word: "Running", means: "The backend has been called and has not answered yet." },
  executed: { tone: "good", word: "Done", means: "It was approved, and the backend did it." },
  failed: { tone: "bad", word: "Failed", means: "It was approved, and the call failed. The run says why." },
  rejected: { tone: "neutral", word: "Rejected", means: "A person said no. Nothing was done." },
  expired: { tone: "neutral", word: "Expired", means: "Nobody decided in time. Nothing was done." },
  cancelled: { tone: "neutral", word: "Cancelled", means: "It was taken back. Nothing was done." },
  superseded: {
    tone: "neutral",
    word: "Edited",
    means: "An edited proposal took its place. Nothing was done by this one.",
  },
  undone: { tone: "neutral", word: "Undone", means: "It was done, and taken back." },
  undo_failed: { tone: "bad", word: "Undo failed", means: "It was done, and taking it back failed." },
};

const RUNS: Readonly<Record<string, Words>> = {
  queued: { tone: "info", word: "Queued", means: "It waits for its turn." },
  executing: { tone: "info", word: "Running", means: "The backend has been called and has not answered yet." },
  executed: { tone: "good", word: "Done", means: "The backend did it." },
  failed: { tone: "bad", word: "Failed", means: "The call failed." },
  undone: { tone: "neutral", word: "Undone", means: "It was done, and taken back." },
  undo_failed: { tone: "bad", word: "Undo failed", means: "It was done, and taking it back failed." },
  dry_run: { tone: "neutral", word: "Dry run", means: "It was checked only; nothing was called." },
};

const RISKS = ["high", "medium", "low"];

export function proposalWords(state: string): Words {
  return PROPOSALS[state] ?? { tone: "neutral", word: state, means: "" };
}

export function runWords(status: string): Words {
  return RUNS[status] ?? { tone: "neutral", word: status, means: "" };
}

/** Whether people can still decide on it. */
export function isOpen(proposal: Pick<wire.Proposal, "state">): boolean {
  return proposal.state === "proposed";
}

/** The riskiest first, and of one risk the oldest. */
export function byUrgency(proposals: readonly wire.Proposal[]): wire.Proposal[] {
  const rank = (proposal: wire.Proposal): number => {
    const found = RISKS.indexOf(proposal.preview.risk);
    return found < 0 ? RISKS.length : found;
  };
  return proposals.toSorted((a, b) => rank(a) - rank(b) || a.created_at.localeCompare(b.created_at));
}
