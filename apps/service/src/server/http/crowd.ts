import type { Clock } from "../../lib/lib.ts";

/** The time for which a caller counts as present after a request. */
const PRESENT_MS = 1000;
const WINDOW_MS = 100;
/** The target for the mean time that the event loop takes for what arrived together with a request. */
const TARGET_MS = 1.5;
const LEAST = 32;
const MOST = 4096;
const STEP = 4;

/** Limits the requests of one caller that are processed at a time while callers keep each other waiting. */
export interface Crowd {
  /** The limit. A caller that is alone has none, because it can keep only itself waiting. */
  readonly places: number;
  /** Notes that a request of a caller arrived. */
  arrived(caller: string): void;
  /** Notes how long the event loop took for the rest of a turn in which a request arrived. */
  turned(ms: number): void;
}

/** The limit is smallest after a tenth of a second in which turns of the event loop were long, and rises by steps after any other. */
export function createCrowd({ monotonicMs }: Pick<Clock, "monotonicMs">): Crowd {
  let places = LEAST;
  let window = { sinceMs: monotonicMs(), turns: 0, tookMs: 0 };
  let last = { caller: "", atMs: -Infinity };
  /** The last caller that was not `last`. */
  let other = last;
  return {
    get places() {
      return monotonicMs() - other.atMs < PRESENT_MS ? places : Infinity;
    },
    arrived(caller) {
      const nowMs = monotonicMs();
      if (nowMs - window.sinceMs >= WINDOW_MS) {
        const isLate = window.turns > 0 && window.tookMs / window.turns > TARGET_MS;
        places = isLate ? LEAST : Math.min(MOST, places + STEP);
        window = { sinceMs: nowMs, turns: 0, tookMs: 0 };
      }
      if (caller !== last.caller) other = last;
      last = { caller, atMs: nowMs };
    },
    turned(ms) {
      window.turns += 1;
      window.tookMs += ms;
    },
  };
}
