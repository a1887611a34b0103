import type { Io } from "../io.ts";
import { createBar } from "../progress.ts";

/** Shows how far a consumer is: on the last line of a terminal, and otherwise in a message now and then. */
export interface PullProgress {
  /** The same streams. What they print stays above the last line. */
  readonly io: Io;
  /** Counts a message that is done. */
  passed(offset: number): Promise<void>;
  /** Removes the line, and prints the total. */
  end(): void;
}

const REDRAWN_MS = 5000;
const LOGGED_MS = 60_000;

/** `lagOf`: returns the number of messages that are not committed, with the one that is counted next; undefined if it is not known. */
export function createPullProgress(io: Io, lagOf: () => Promise<number | undefined>): PullProgress {
  const bar = createBar(io);
  const above = (write: (text: string) => void) => (text: string) => {
    bar.end();
    write(text);
  };
  let done = 0;
  let last = 0;
  let left: number | undefined;
  let askedAt = io.showsProgress ? Number.NEGATIVE_INFINITY : performance.now();

  function log(): void {
    const rest = left === undefined ? "" : ` ${left.toLocaleString("en")} are left.`;
    io.err(`Messages done: ${done.toLocaleString("en")}, up to offset ${last.toLocaleString("en")}.${rest}\n`);
  }

  return {
    io: { ...io, out: above(io.out), err: above(io.err) },
    async passed(offset) {
      [done, last] = [done + 1, offset];
      if (left !== undefined) left = Math.max(0, left - 1);
      if (performance.now() - askedAt >= (io.showsProgress ? REDRAWN_MS : LOGGED_MS)) {
        const lag = await lagOf().catch(() => undefined);
        left = lag === undefined ? undefined : Math.max(0, lag - 1);
        askedAt = performance.now();
        if (!io.showsProgress) log();
      }
      bar.at("messages", done, left === undefined ? 0 : done + left);
    },
    end() {
      bar.end();
      if (done > 0) log();
    },
  };
}
