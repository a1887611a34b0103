import { ownContext } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";

export type Paced = ReturnType<typeof createPaced>;

/**
 * Returns a scheduler that runs one task at a time, with a pause of `everyMs` between the end of a run and the next start. It costs
 * nothing without requests. A run is not part of any request that asks for it.
 */
export function createPaced(everyMs: number, run: () => Promise<void>, log: Pick<Log, "warn">) {
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
    /** Schedules a run. Several requests between two runs cause one run. */
    soon(): void {
      asked = true;
      if (timer === undefined && running === undefined && !stopped) timer = setTimeout(next, 0);
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
