import type { CurrentWorkspace } from "../accounts/workspaces/workspace-settings.ts";

export interface Sweep {
  /** Every ten minutes, the first time at once. */
  start(): void;
  stop(): Promise<void>;
}

export interface SweepDeps {
  readonly current: Pick<CurrentWorkspace, "sweep">;
  readonly log: { warn(fields: object, message: string): void };
}

const PERIOD_MS = 10 * 60_000;

export function createSweep({ current, log }: SweepDeps): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function sweep(): void {
    running = current.sweep().catch((error: unknown) => {
      log.warn({ err: error }, "the sweep of workspaces and sessions failed; it tries again in ten minutes");
    });
  }

  return {
    start() {
      sweep();
      timer = setInterval(sweep, PERIOD_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
