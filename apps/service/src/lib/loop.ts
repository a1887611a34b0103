import { setTimeout as sleep } from "node:timers/promises";

/** Background work that runs a round, sleeps until something is due or until it is woken, and runs the next round. */
export interface Loop {
  /** Reports that something may be due now: the sleep ends, and a running round is followed by another one. */
  wake(): void;
  /** Runs a round at once, and further rounds until it is stopped. */
  start(): void;
  /** Resolves once the running round has ended. */
  stop(): Promise<void>;
}

export interface LoopSteps {
  /** Runs one round. Returns the milliseconds until the next round is due. */
  round(stopping: AbortSignal): Promise<number>;
  /** Handles the error of a round. Returns the milliseconds until the next round. */
  failed(error: unknown): number;
}

export function createLoop({ round, failed }: LoopSteps): Loop {
  let stopping = new AbortController();
  let waiting = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Set before the round, so that a wake during the round ends the next sleep.
      waiting = new AbortController();
      const pauseMs = await round(stopping.signal).catch(failed);
      const signal = AbortSignal.any([stopping.signal, waiting.signal]);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    wake: () => waiting.abort(),
    start: () => {
      stopping = new AbortController();
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
