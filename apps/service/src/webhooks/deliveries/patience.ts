import type { Clock, Uuid } from "../../lib/lib.ts";

/** How an attempt ended. Undefined if it says nothing about the receiver. */
export type AttemptEnd = "hung" | "ended" | undefined;

export type Patience<Work> = ReturnType<typeof createPatience<Work>>;

/** An attempt that takes longer than most receivers need waits in a place of its own. */
const QUICK_MS = 1000;
const MOVE_EVERY_MS = 100;
const MOST_KNOWN = 10_000;

/**
 * Knows which receivers let requests wait, and has `most` places for these requests: so they keep no place from receivers that
 * respond. An endpoint whose last attempt timed out has one of these places at a time, until an attempt ends otherwise. Other
 * attempts move there when they take long, if there is room.
 */
export function createPatience<Work>(most: number, { monotonicMs }: Pick<Clock, "monotonicMs">) {
  /** In order of their last timeouts. */
  const hanging = new Set<Uuid>();
  const places = new Set<Work>();
  /** The moments at which attempts in other places began, in order. */
  const begun = new Map<Work, number>();
  let movedAt = -Infinity;

  return {
    hangs: (endpointId: Uuid): boolean => hanging.has(endpointId),
    get places(): number {
      return places.size;
    },
    get hasRoom(): boolean {
      return places.size < most;
    },
    take: (work: Work): void => void places.add(work),
    began: (work: Work): void => void begun.set(work, monotonicMs()),
    /** Returns true if the delivery had one of the places. */
    ended(work: Work): boolean {
      begun.delete(work);
      return places.delete(work);
    },
    /** Records how an attempt ended. Returns true if the receiver has begun to hang. */
    judge(endpointId: Uuid, end: AttemptEnd): boolean {
      if (end === undefined) return false;
      const isKnown = hanging.delete(endpointId);
      if (end === "ended") return false;
      hanging.add(endpointId);
      for (const oldest of hanging) {
        if (hanging.size <= MOST_KNOWN) break;
        hanging.delete(oldest);
      }
      return !isKnown;
    },
    /** Moves attempts that take long to the places. `moved` frees the place that each had before. */
    moveSlow(moved: (work: Work) => void): void {
      const now = monotonicMs();
      if (now - movedAt < MOVE_EVERY_MS) return;
      movedAt = now;
      for (const [work, at] of begun) {
        if (now - at < QUICK_MS || places.size >= most) return;
        begun.delete(work);
        places.add(work);
        moved(work);
      }
    },
  };
}
