import { hash } from "node:crypto";
import type { Clock } from "../../lib/lib.ts";

/** The target for the mean duration of accepting an event. If it is exceeded, fewer requests are admitted at a time. */
const TARGET_MS = 120;
const WINDOW_MS = 100;
const START = 256;
/** A few dozen callers are admitted however slow the machine is: each waits for its own response, so that no more queue up. */
export const LEAST = 72;
/**
 * The same during a flood: in a tenth of a second, more requests are refused than end, and so many that they cannot come from a few dozen
 * callers that wait for `Retry-After`. Those that are admitted would only wait for each other.
 */
const FLOOD = { refused: 100, targetMs: 60, least: 40, shrink: 0.5 };
const USUAL = { targetMs: TARGET_MS, least: LEAST, shrink: 0.8 };
const MOST = 4096;
/** A caller with fewer requests in progress than this is still admitted while others flood the service. */
const OWN = 8;
/** The room of such callers in relation to the limit. Callers that are not known may have invented their credentials. */
const ROOM_OF_KNOWN = 2;
const ROOM_OF_OTHERS = 1.5;
/** The number of callers that are remembered. */
const MOST_KNOWN = 10_000;

/**
 * Decides which requests are admitted, so that admitted requests do not wait for seconds behind more than the service
 * can process.
 */
export interface Admission {
  /**
   * Returns false if the request must be refused at once. Otherwise, the caller of `enter` calls `left` after the
   * response. `caller` distinguishes callers, authenticated or not; `most`: the requests that it may have in progress.
   */
  enter(caller: string, most?: number): boolean;
  /** `status` is the status of the response; undefined if there was none. A caller is known after a success. */
  left(caller: string, startedMs: number, status: number | undefined): void;
  /** Returns true if the caller's last request succeeded. */
  isKnown(caller: string): boolean;
  /** The number of requests that were refused so far. */
  readonly refused: number;
}

/**
 * Limits the number of requests in progress. The limit follows their duration: it shrinks after a tenth of a second in
 * which their mean duration exceeds the target or none of them ends, and grows otherwise. Above its start, it grows
 * only while half of it is used: a limit that has grown in quiet hours would admit thousands at the beginning of a
 * flood. Callers with few requests in progress have more room, and twice the limit if they are known, so that a flood
 * with invented credentials does not take the room of others.
 */
export function createAdmission(clock: Pick<Clock, "monotonicMs">): Admission {
  let limit = START;
  let underWay = 0;
  const ofCaller = new Map<string, number>();
  const known = createKnown();
  let refused = 0;
  let window = { sinceMs: clock.monotonicMs(), ended: 0, tookMs: 0, most: 0, refused: 0 };
  /** The time when the last call ended, or when the first of those in progress began. */
  let movedMs = window.sinceMs;

  function look(nowMs: number): void {
    if (nowMs - window.sinceMs < WINDOW_MS) return;
    limit = nextLimit(nowMs);
    window = { sinceMs: nowMs, ended: 0, tookMs: 0, most: underWay, refused: 0 };
  }

  function nextLimit(nowMs: number): number {
    const isFlooded = window.refused > Math.max(FLOOD.refused, window.ended);
    const { targetMs, least, shrink } = isFlooded ? FLOOD : USUAL;
    const isStuck = underWay > 0 && nowMs - movedMs > targetMs;
    const meanMs = window.tookMs / Math.max(1, window.ended);
    if (isStuck || meanMs > targetMs) return Math.max(least, shrunk(shrink));
    const isMoving = underWay === 0 || window.ended > 0;
    const isUsed = limit < START || 2 * window.most > limit;
    return Math.max(least, isMoving && isUsed ? Math.min(MOST, Math.ceil(limit * 1.05) + 4) : limit);
  }

  /** Returns a smaller limit that leaves known callers room in addition to the requests in progress. */
  function shrunk(by: number): number {
    return Math.min(limit, Math.max(Math.floor(limit * by), Math.ceil(underWay / ROOM_OF_KNOWN) + OWN));
  }

  function roomOf(caller: string, own: number): number {
    if (own >= OWN || underWay < limit) return limit;
    return limit * (known.has(caller) ? ROOM_OF_KNOWN : ROOM_OF_OTHERS);
  }

  return {
    enter(caller, most = Infinity) {
      look(clock.monotonicMs());
      const own = ofCaller.get(caller) ?? 0;
      if (own >= most || underWay >= roomOf(caller, own)) {
        refused += 1;
        window.refused += 1;
        return false;
      }
      if (underWay === 0) movedMs = clock.monotonicMs();
      underWay += 1;
      window.most = Math.max(window.most, underWay);
      ofCaller.set(caller, own + 1);
      return true;
    },
    left(caller, startedMs, status) {
      const nowMs = clock.monotonicMs();
      known.note(caller, status);
      const own = (ofCaller.get(caller) ?? 1) - 1;
      if (own === 0) ofCaller.delete(caller);
      else ofCaller.set(caller, own);
      underWay -= 1;
      movedMs = nowMs;
      window.ended += 1;
      window.tookMs += nowMs - startedMs;
      look(nowMs);
    },
    isKnown: (caller) => known.has(caller),
    get refused() {
      return refused;
    },
  };
}

interface KnownKey {
  has(caller: string): boolean;
  note(caller: string, status: number | undefined): void;
}

/** Remembers the callers whose requests succeeded last, as digests, because their texts are credentials. */
function createKnown(): KnownKey {
  const digests = new Set<string>();
  const digestOf = (caller: string): string => hash("sha256", caller, "base64");
  return {
    has: (caller) => digests.has(digestOf(caller)),
    note(caller, status = 0) {
      const isSuccess = status >= 200 && status < 300;
      if (!isSuccess && status !== 401) return;
      const digest = digestOf(caller);
      digests.delete(digest);
      if (isSuccess) digests.add(digest);
      if (digests.size > MOST_KNOWN) digests.delete(digests.values().next().value ?? "");
    },
  };
}
