import { createStandingWorker } from "../standing-approvals/standing-approvals.worker.ts";
import { createActionWorker } from "./actions.worker.ts";
import type { RunsDeps } from "./runs.ts";

export type ActionWorkers = ReturnType<typeof createActionWorkers>;

/** The time that running calls have to end during a shutdown. It leaves time for the steps that follow. */
const STOP_MS = 25_000;

/** Creates the workers of runs, proposals and standing approvals. `works` is false in a process that only accepts requests. */
export function createActionWorkers(deps: RunsDeps, works: boolean) {
  const runs = createActionWorker(deps);
  const standing = createStandingWorker(deps);
  return {
    wake: runs.wake,
    /** Ends the proposals whose time limit has passed, as the worker does regularly. */
    sweep: runs.sweep,
    /** Ends the standing approvals that can no longer approve anything, as the worker does regularly. */
    sweepStanding: standing.sweep,
    start: () => {
      if (!works) return;
      runs.start();
      standing.start();
    },
    /** Waits for the running calls to end. */
    async stop(): Promise<void> {
      await Promise.all([runs.stop(), standing.stop()]);
      await deps.executor.idle(STOP_MS);
    },
  };
}
