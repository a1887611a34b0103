import { setImmediate } from "node:timers/promises";
import { systemClock } from "./clock.ts";

/** The longest that work in several steps holds the event loop between two pauses. */
const MOST_MS = 5;

/** Returns a function that work calls after each step. It lets other work of the process continue when the last pause was some time ago. */
export function createPauses(): () => Promise<void> {
  let sinceMs = systemClock.monotonicMs();
  return async () => {
    if (systemClock.monotonicMs() - sinceMs < MOST_MS) return;
    await setImmediate();
    sinceMs = systemClock.monotonicMs();
  };
}
