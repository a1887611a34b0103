import type { RunAccepted, RunAnswer } from "./generated/types.ts";

/** An action that waits for a person's approval. Nothing ran. */
export type PendingConfirmation = RunAccepted & {
  status: "pending_confirmation";
  proposal: NonNullable<RunAccepted["proposal"]>;
};

/** A completed action. */
export type Executed = RunAnswer & { id: string; status: "executed" };

/**
 * Returns true if `actions.run` created a proposal instead of a run. Show its `preview`, or link to its `approve_url`.
 */
export function isPending(run: RunAnswer | RunAccepted): run is PendingConfirmation {
  return run.status === "pending_confirmation" && "proposal" in run;
}

/** Returns true if `actions.run` ran the action. `result` is the backend's response. */
export function isExecuted(run: RunAnswer | RunAccepted): run is Executed {
  return run.status === "executed";
}
