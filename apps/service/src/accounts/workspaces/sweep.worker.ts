import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { CurrentWorkspace } from "./workspace-settings.ts";

/** Sweeps every ten minutes, the first time at once. */
export type Sweep = Pick<Loop, "start" | "stop">;

export interface SweepDeps {
  readonly current: Pick<CurrentWorkspace, "sweep">;
  readonly log: { warn(fields: object, message: string): void };
}

const PERIOD_MS = 10 * 60_000;

export function createSweep({ current, log }: SweepDeps): Sweep {
  return createLoop({
    async round() {
      await current.sweep();
      return PERIOD_MS;
    },
    failed(error) {
      log.warn({ err: error }, "failed to delete expired workspaces and sessions; retrying in ten minutes");
      return PERIOD_MS;
    },
  });
}
