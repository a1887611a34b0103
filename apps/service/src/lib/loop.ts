import { setTimeout as sleep } from "node:timers/promises";

/** Background work that looks, sleeps until something is due or somebody wakes it, and looks again. */
export interface Loop {
  /** Something may be due now: the sleep ends, and a look under way is followed by another one. */
  wake(): void;
  /** Looks at once, and on until it is stopped. */
  start(): void;
  /** Resolves once the look under way has ended. */
  stop(): Promise<void>;
}

export interface LoopSteps {
  /** One look. Answers for how many milliseconds there is nothing to do. */
  round(stopping: AbortSignal): Promise<number>;
  /** A look failed. Answers in how many milliseconds it is tried again. */
  failed(error: unknown): number;
}

export function createLoop({ round, failed }: LoopSteps): Loop {
  let stopping = new AbortController();
  let waiting = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Before the look: a wake during it must not be slept through.
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
