import { setTimeout as sleep } from "node:timers/promises";
import { workGoesOn } from "./current-work.ts";

/** Background work that runs a round, sleeps until something is due or until it is woken, and runs the next round. */
export type Loop = ReturnType<typeof createLoop>;

export interface LoopSteps {
  /** Runs one round. Returns the milliseconds until the next round is due. */
  round(stopping: AbortSignal): Promise<number>;
  /** Handles the error of a round. Returns the milliseconds until the next round. */
  failed(error: unknown): number;
}

export function createLoop({ round, failed }: LoopSteps) {
  let stopping = new AbortController();
  let waiting = new AbortController();
  let running: Promise<void> | undefined;

  async function run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      // Set before the round, so that a wake during the round ends the next sleep.
      waiting = new AbortController();
      workGoesOn();
      const pauseMs = await round(stop).catch(failed);
      const signal = AbortSignal.any([stop, waiting.signal]);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    /** Reports that something may be due now: the sleep ends, and a running round is followed by another one. */
    wake: (): void => waiting.abort(),
    /**
     * Runs a round at once, and further rounds until it is stopped. After a stop whose round has not ended, the first
     * round follows it. Has no effect if the loop is running.
     */
    start: (): void => {
      if (running !== undefined && !stopping.signal.aborted) return;
      stopping = new AbortController();
      const { signal } = stopping;
      running = running === undefined ? run(signal) : running.then(async () => await run(signal));
    },
    /** Resolves once the running round has ended. */
    stop: async (): Promise<void> => {
      stopping.abort();
      const ending = running;
      await ending;
      if (running === ending) running = undefined;
    },
  };
}

/** Writes what is in memory, again and again. `stop` writes what is still there. Times are in milliseconds. */
export function createFlushLoop(flush: () => Promise<void>, everyMs: number): Pick<Loop, "start" | "stop"> {
  const loop = createLoop({
    async round() {
      await flush();
      return everyMs;
    },
    failed: () => everyMs,
  });
  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await flush();
    },
  };
}
