import type { Clock } from "../../lib/lib.ts";

const WINDOW_MS = 100;
/**
 * The target for the mean time that the event loop takes for what arrived together with a request, of which the request
 * waits for half.
 */
const TARGET_MS = 1.5;

/** Measures the turns of the event loop in which requests arrive, in windows of a tenth of a second. */
export interface TurnTimes {
  /**
   * Notes that a request arrived. The first one after a window ends it, and gets whether its turns were long. The others
   * get undefined.
   */
  arrived(): "long" | "short" | undefined;
  /** Notes how long the event loop took for the rest of a turn in which a request arrived. */
  turned(ms: number): void;
}

export function createTurnTimes({ monotonicMs }: Pick<Clock, "monotonicMs">): TurnTimes {
  let window = { sinceMs: monotonicMs(), turns: 0, tookMs: 0 };
  return {
    arrived() {
      const nowMs = monotonicMs();
      const { sinceMs, turns, tookMs } = window;
      if (nowMs - sinceMs < WINDOW_MS) return undefined;
      window = { sinceMs: nowMs, turns: 0, tookMs: 0 };
      return turns > 0 && tookMs / turns > TARGET_MS ? "long" : "short";
    },
    turned(ms) {
      window.turns += 1;
      window.tookMs += ms;
    },
  };
}
