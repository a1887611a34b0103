import { createLoop } from "../../lib/lib.ts";
import type { Loop, Uuid } from "../../lib/lib.ts";
import { claimTasks, dueBuckets, giveBackTasks, sweep } from "./assistant.store.ts";
import type { TaskRow } from "./assistant.store.ts";
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
  let sweeper: NodeJS.Timeout | undefined;
  let isStarted = false;
  const rounds = createRounds(deps, () => loop.wake());
  const loop = createLoop({
    round: rounds.take,
    failed(error) {
      deps.log.warn({ err: error }, "what the assistant is to hear of could not be read; trying again");
      return AFTER_ERROR_MS;
    },
  });

  return {
    wake: loop.wake,
    start: () => {
      isStarted = true;
      loop.start();
      sweeper = setInterval(() => {
        sweep(deps.db).catch((error: unknown) =>
          deps.log.warn({ err: error }, "what the assistant left could not be swept"),
        );
      }, SWEEP_MS);
      sweeper.unref();
    },
    stop: async () => {
      clearInterval(sweeper);
      if (!isStarted) return;
      await loop.stop();
      await rounds.ended();
      // Without it they wait for their leases to run out.
      await giveBackTasks(deps.db, deps.leaseId).catch((error: unknown) =>
        deps.log.warn({ err: error }, "what the assistant was to hear of could not be given back"),
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
  const underWay = new Set<Promise<void>>();

  function begin(task: TaskRow): void {
    const playing = play(deps, task).finally(() => {
      underWay.delete(playing);
      onEnd();
    });
    underWay.add(playing);
  }

  return {
    async take() {
      const heads = await dueBuckets(deps.db);
      let begun = 0;
      for (const { bucket } of heads.filter((head) => head.due_in_ms <= 0)) {
        const free = AT_ONCE - underWay.size;
        if (free === 0) break;
        const lease = { id: deps.leaseId, seconds: LEASE_SECONDS };
        const tasks = await claimTasks(deps.db, bucket, lease, { atOnce: free, ofOne: OF_ONE });
        begun += tasks.length;
        for (const task of tasks) begin(task);
      }
      if (begun > 0) return MIN_PAUSE_MS;
      const ahead = heads.map((head) => head.due_in_ms).filter((ms) => ms > 0);
      return Math.max(MIN_PAUSE_MS, Math.min(IDLE_MS, ...ahead));
    },
    ended: async () => void (await Promise.all(underWay)),
  };
}

/** A fault of ours leaves the task to the end of its lease. */
async function play(deps: TaskWorkerDeps, task: TaskRow): Promise<void> {
  try {
    await playRound(deps, task);
  } catch (error) {
    deps.log.warn({ err: error }, "the assistant could not be told of an event; it is tried again");
  }
}
