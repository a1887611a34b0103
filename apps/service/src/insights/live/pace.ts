import { ownContext } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";

export interface Paced {
  /** Runs it soon; however often it is asked for, once in the time between two runs. */
  soon(): void;
  stop(): Promise<void>;
}

/**
 * One run at a time, and so many milliseconds from the end of one to the beginning of the next. Costs nothing while nobody asks.
 * A run belongs to none of the requests that ask for it.
 */
export function createPaced(everyMs: number, run: () => Promise<void>, log: Pick<Log, "warn">): Paced {
  const outside = ownContext();
  let asked = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function next(): void {
    timer = undefined;
    if (!asked || stopped) return;
    asked = false;
    running = outside(run)
      .catch((error: unknown) => log.warn({ err: error }, "failed to read or send live updates; retrying"))
      .finally(() => {
        running = undefined;
        if (!stopped) timer = setTimeout(next, everyMs);
      });
  }

  return {
    soon() {
      asked = true;
      if (timer === undefined && running === undefined && !stopped) timer = setTimeout(next, 0);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
