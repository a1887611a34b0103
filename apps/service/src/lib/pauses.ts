import type { Clock } from "./clock.ts";
import { nextTurn } from "./next-turn.ts";

/** The longest that work in several steps holds the event loop between two pauses. */
const MOST_MS = 5;

/** The pauses of work in several steps: `if (pauses.isDue()) await pauses.pause()` after each of them. */
export type Pauses = ReturnType<typeof createPauses>;

export function createPauses(clock: Pick<Clock, "monotonicMs">) {
  let sinceMs = clock.monotonicMs();
  return {
    /** Returns true if the last pause was some time ago. */
    isDue: (): boolean => clock.monotonicMs() - sinceMs >= MOST_MS,
    /** Lets other work of the process run. */
    async pause(): Promise<void> {
      await nextTurn();
      sinceMs = clock.monotonicMs();
    },
  };
}
