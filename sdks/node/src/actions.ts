import type { RunAccepted, RunAnswer } from "./generated/types.ts";

/** An action that waits for a person's approval: nothing ran. */
export type PendingConfirmation = RunAccepted & {
  status: "pending_confirmation";
  proposal: NonNullable<RunAccepted["proposal"]>;
};

/** An action that ran to its end. */
export type Executed = RunAnswer & { id: string; status: "executed" };

/** Whether `actions.run` made a proposal in place of a run: show its `preview`, or lead to its `approve_url`. */
export function isPending(run: RunAnswer | RunAccepted): run is PendingConfirmation {
  return run.status === "pending_confirmation" && "proposal" in run;
}

/** Whether `actions.run` ran: `result` is what the backend answered. */
export function isExecuted(run: RunAnswer | RunAccepted): run is Executed {
  return run.status === "executed";
}
