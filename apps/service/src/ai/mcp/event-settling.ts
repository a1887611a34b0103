import { LATE_MS } from "../../events/events.ts";
import type { Mark, UnreadHeads } from "../../events/events.ts";
import { after, instant, uuidFloor } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";

interface SettledShard {
  readonly settled: Uuid;
  /** Only reads that see all transactions before it are complete up to `settled`: an earlier one may be judged later. */
  readonly xid: bigint;
  readonly mark: Mark | null;
  readonly markedMs: number;
}

/** The least time between two marks, each of which takes the number of a transaction. */
const MARK_MS = 1000;
const NONE = uuidFloor(instant(0));

/**
 * Knows how far events are complete: once all transactions that had begun at a moment have ended, no event can appear that is older than
 * the moment, except late ones. Each shard has transactions of its own.
 */
export function createSettling(clock: Pick<Clock, "monotonicMs">) {
  const shards = new Map<number, SettledShard>();
  return {
    /** True if the next read is to take a mark. */
    wantsMark(bucket: number): boolean {
      const known = shards.get(bucket);
      return known === undefined || (known.mark === null && clock.monotonicMs() - known.markedMs >= MARK_MS);
    },
    /** Returns the id up to which this read is complete, except late events. */
    settledAt(bucket: number, { xmin, mark: taken }: Pick<UnreadHeads, "xmin" | "mark">): Uuid {
      const before = shards.get(bucket) ?? { settled: NONE, xid: 0n, mark: null, markedMs: 0 };
      const { mark } = before;
      const isOver = mark !== null && mark.xid <= xmin;
      const reached = isOver ? { settled: uuidFloor(after(instant(mark.atMs), -LATE_MS)), xid: mark.xid } : before;
      const next = isOver ? taken : (mark ?? taken);
      shards.set(bucket, {
        settled: reached.settled,
        xid: reached.xid,
        mark: next,
        markedMs: taken === null ? before.markedMs : clock.monotonicMs(),
      });
      return reached.xid <= xmin ? reached.settled : NONE;
    },
  };
}
