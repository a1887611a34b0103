import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";

/** Work that is done again and again, on every node, and that several nodes can do at the same time. */
export interface SweepKind {
  /** Completes the log's line about an error: `delete expired sessions`. */
  readonly to: string;
  readonly everyMs: number;
  /** The pause after an error. Default: `everyMs`. */
  readonly retryMs?: number;
  /** Returns when the next round is, if it is not after `everyMs`. */
  run(stopping: AbortSignal): Promise<{ readonly pauseMs: number } | void>;
}

/** Sweeps at the start, and then after each pause. */
export function createSweep(
  log: { warn(fields: object, message: string): void },
  { to, everyMs, retryMs = everyMs, run }: SweepKind,
): Loop {
  return createLoop({
    round: async (stopping) => (await run(stopping))?.pauseMs ?? everyMs,
    failed(error) {
      log.warn({ err: error }, `failed to ${to}; retrying`);
      return retryMs;
    },
  });
}
