import type { Clock } from "../../lib/lib.ts";

/** What accepting an event takes in the mean, at most; beyond it fewer are taken on at a time. */
const TARGET_MS = 120;
const WINDOW_MS = 100;
const START = 256;
const LEAST = 32;
const MOST = 4096;
/** Under way for one caller: who has fewer is taken on beside others who flood. */
const OWN = 8;

/** Decides which requests are taken on, so that those that are do not wait for seconds behind more than can be worked off. */
export interface Admission {
  /** False: it is to be refused at once. Otherwise `left` is called when it was answered. `caller` tells callers apart, proven or not. */
  enter(caller: string): boolean;
  left(caller: string, startedMs: number): void;
  /** Requests that were refused, ever. */
  readonly refused: number;
}

/**
 * Bounds the number of requests under way. The bound follows their duration: a tenth of a second in which they take longer than the target in
 * the mean, or in which none ends, makes it smaller, any other one larger. Above its start it grows only while half of it is used: a bound
 * that has grown in quiet hours would admit thousands at the beginning of a flood. Callers with few requests under way have twice the bound.
 */
export function createAdmission(clock: Pick<Clock, "monotonicMs">): Admission {
  let limit = START;
  let underWay = 0;
  const ofCaller = new Map<string, number>();
  let refused = 0;
  let window = { sinceMs: clock.monotonicMs(), ended: 0, tookMs: 0, most: 0 };
  /** When the last call ended, or the first of those under way began. */
  let movedMs = window.sinceMs;

  function look(nowMs: number): void {
    if (nowMs - window.sinceMs < WINDOW_MS) return;
    const isStuck = underWay > 0 && nowMs - movedMs > TARGET_MS;
    const isSlow = window.ended > 0 && window.tookMs / window.ended > TARGET_MS;
    if (isStuck || isSlow) limit = Math.max(LEAST, Math.floor(limit * 0.8));
    else if ((underWay === 0 || window.ended > 0) && (limit < START || 2 * window.most > limit))
      limit = Math.min(MOST, Math.ceil(limit * 1.05) + 4);
    window = { sinceMs: nowMs, ended: 0, tookMs: 0, most: underWay };
  }

  return {
    enter(caller) {
      look(clock.monotonicMs());
      const own = ofCaller.get(caller) ?? 0;
      if (underWay >= (own < OWN ? 2 * limit : limit)) {
        refused += 1;
        return false;
      }
      if (underWay === 0) movedMs = clock.monotonicMs();
      underWay += 1;
      window.most = Math.max(window.most, underWay);
      ofCaller.set(caller, own + 1);
      return true;
    },
    left(caller, startedMs) {
      const nowMs = clock.monotonicMs();
      const own = (ofCaller.get(caller) ?? 1) - 1;
      if (own === 0) ofCaller.delete(caller);
      else ofCaller.set(caller, own);
      underWay -= 1;
      movedMs = nowMs;
      window.ended += 1;
      window.tookMs += nowMs - startedMs;
      look(nowMs);
    },
    get refused() {
      return refused;
    },
  };
}
