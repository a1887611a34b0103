import { createLoop, createTaskSet } from "../../lib/lib.ts";
import type { Loop, Uuid } from "../../lib/lib.ts";
import { claimTasks, dueBuckets, giveBackTasks, sweep } from "./assistant.store.ts";
import { LEASE_SECONDS, playRound } from "./process-event.ts";
import type { RoundDeps } from "./process-event.ts";

/** How long an idle node sleeps when nothing wakes it. */
const IDLE_MS = 5000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** Maximum numbers of events in progress: on one node, and of one environment on all nodes. */
const AT_ONCE = 64;
const OF_ONE = 4;
const SWEEP_MS = 3_600_000;

/** `stop` waits for the events in progress. Other nodes process the rest. */
export type TaskWorker = Loop;

export interface TaskWorkerDeps extends RoundDeps {
  readonly leaseId: Uuid;
}

/** Passes events to the assistant, outside the stages of the events. */
export function createTaskWorker(deps: TaskWorkerDeps): TaskWorker {
  let isStarted = false;
  const rounds = createRounds(deps, () => loop.wake());
  const loop = createLoop({
    round: rounds.take,
    failed(error) {
      deps.log.warn({ err: error }, "failed to read events for the assistant; retrying");
      return AFTER_ERROR_MS;
    },
  });

  const sweeper = createLoop({
    async round() {
      await sweep(deps.db);
      return SWEEP_MS;
    },
    failed(error) {
      deps.log.warn({ err: error }, "failed to delete old assistant data");
      return SWEEP_MS;
    },
  });

  return {
    wake: loop.wake,
    start: () => {
      isStarted = true;
      loop.start();
      sweeper.start();
    },
    stop: async () => {
      if (!isStarted) return;
      await sweeper.stop();
      await loop.stop();
      await rounds.ended();
      // Otherwise these tasks would wait until their leases expire.
      await giveBackTasks(deps.db, deps.leaseId).catch((error: unknown) =>
        deps.log.warn({ err: error }, "failed to release the assistant's claimed events"),
      );
    },
  };
}

function createRounds(deps: TaskWorkerDeps, onEnd: () => void) {
  // After an internal error, the task stays claimed until its lease expires.
  const tasks = createTaskSet((error) =>
    deps.log.warn({ err: error }, "failed to process an event for the assistant; retrying"),
  );

  return {
    /** Starts due tasks while there is capacity. Returns the milliseconds until there is more to do. */
    async take(): Promise<number> {
      const heads = await dueBuckets(deps.db);
      let begun = 0;
      for (const { bucket } of heads.filter((head) => head.due_in_ms <= 0)) {
        const free = AT_ONCE - tasks.size;
        if (free === 0) break;
        const lease = { id: deps.leaseId, seconds: LEASE_SECONDS };
        const claimed = await claimTasks(deps.db, bucket, lease, { atOnce: free, ofOne: OF_ONE });
        begun += claimed.length;
        for (const task of claimed)
          tasks.add(deps.db.at(bucket, async () => await playRound(deps, task)).finally(onEnd));
      }
      if (begun > 0) return MIN_PAUSE_MS;
      const ahead = heads.map((head) => head.due_in_ms).filter((ms) => ms > 0);
      return Math.max(MIN_PAUSE_MS, Math.min(IDLE_MS, ...ahead));
    },
    ended: tasks.settled,
  };
}
