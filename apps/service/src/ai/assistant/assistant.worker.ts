import { createLoop, createTaskSet } from "../../lib/lib.ts";
import type { Loop, Uuid } from "../../lib/lib.ts";
import { claimTasks, dueBuckets, giveBackTasks, sweep } from "./assistant.store.ts";
import { LEASE_SECONDS, playRound } from "./process-event.ts";
import type { RoundDeps } from "./process-event.ts";

/** How long an idle node sleeps when nothing wakes it. */
const IDLE_MS = 5000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
/** Rounds under way at once on one node, and of one environment over all nodes. */
const AT_ONCE = 64;
const OF_ONE = 4;
const SWEEP_MS = 3_600_000;

/** Stopped, it lets the rounds under way end; the rest is another node's. */
export type TaskWorker = Loop;

export interface TaskWorkerDeps extends RoundDeps {
  readonly leaseId: Uuid;
}

/** Tells the assistant what it is to hear of, apart from the stages of events. */
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
      // Without it they wait for their leases to run out.
      await giveBackTasks(deps.db, deps.leaseId).catch((error: unknown) =>
        deps.log.warn({ err: error }, "failed to release the assistant's claimed events"),
      );
    },
  };
}

interface Rounds {
  /** Begins what is due, as far as there is room; answers for how long there is nothing to do. */
  take(): Promise<number>;
  ended(): Promise<void>;
}

function createRounds(deps: TaskWorkerDeps, onEnd: () => void): Rounds {
  // A fault of ours leaves the task to the end of its lease.
  const tasks = createTaskSet((error) =>
    deps.log.warn({ err: error }, "failed to process an event for the assistant; retrying"),
  );

  return {
    async take() {
      const heads = await dueBuckets(deps.db);
      let begun = 0;
      for (const { bucket } of heads.filter((head) => head.due_in_ms <= 0)) {
        const free = AT_ONCE - tasks.size;
        if (free === 0) break;
        const lease = { id: deps.leaseId, seconds: LEASE_SECONDS };
        const claimed = await claimTasks(deps.db, bucket, lease, { atOnce: free, ofOne: OF_ONE });
        begun += claimed.length;
        for (const task of claimed) tasks.add(playRound(deps, task).finally(onEnd));
      }
      if (begun > 0) return MIN_PAUSE_MS;
      const ahead = heads.map((head) => head.due_in_ms).filter((ms) => ms > 0);
      return Math.max(MIN_PAUSE_MS, Math.min(IDLE_MS, ...ahead));
    },
    ended: tasks.settled,
  };
}
