import type { Clock } from "../../lib/lib.ts";
import { createTurnTimes } from "./turn-times.ts";
import type { TurnTimes } from "./turn-times.ts";

/** The time for which a caller counts as present after a request. */
const PRESENT_MS = 1000;
const LEAST = 32;
const MOST = 4096;
const STEP = 4;

/** Limits the requests of one caller that are processed at a time while callers keep each other waiting. */
export interface Crowd extends Pick<TurnTimes, "turned"> {
  /** The limit. A caller that is alone has none, because it can keep only itself waiting. */
  readonly places: number;
  /** Notes that a request of a caller arrived. */
  arrived(caller: string): void;
}

/** The limit is smallest after a tenth of a second in which turns of the event loop were long, and rises by steps after any other. */
export function createCrowd(clock: Pick<Clock, "monotonicMs">): Crowd {
  const { monotonicMs } = clock;
  const turnTimes = createTurnTimes(clock);
  let places = LEAST;
  let last = { caller: "", atMs: -Infinity };
  /** The last caller that was not `last`. */
  let other = last;
  return {
    get places() {
      return monotonicMs() - other.atMs < PRESENT_MS ? places : Infinity;
    },
    arrived(caller) {
      const ended = turnTimes.arrived();
      if (ended !== undefined) places = ended === "long" ? LEAST : Math.min(MOST, places + STEP);
      if (caller !== last.caller) other = last;
      last = { caller, atMs: monotonicMs() };
    },
    turned: turnTimes.turned,
  };
}
