import type { Clock } from "./clock.ts";
import { nextTurn } from "./next-turn.ts";

/** The longest that work in several steps holds the event loop between two pauses. */
const MOST_MS = 5;

/** The pauses of work in several steps: `if (pauses.isDue()) await pauses.pause()` after each of them. */
export interface Pauses {
  /** Returns true if the last pause was some time ago. */
  isDue(): boolean;
  /** Lets other work of the process run. */
  pause(): Promise<void>;
}

export function createPauses(clock: Pick<Clock, "monotonicMs">): Pauses {
  let sinceMs = clock.monotonicMs();
  return {
    isDue: () => clock.monotonicMs() - sinceMs >= MOST_MS,
    async pause() {
      await nextTurn();
      sinceMs = clock.monotonicMs();
    },
  };
}
