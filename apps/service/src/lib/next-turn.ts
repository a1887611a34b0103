import { systemClock } from "./clock.ts";

/** The rest after a piece of work, in relation to it, and at most. */
const REST = 2;
const MOST_REST_MS = 40;
/** A turn of the event loop that is shorter had nothing else to do. */
const QUIET_MS = 0.3;

const waiting: (() => void)[] = [];
let restUntilMs = 0;

/**
 * Lets other work of the process run. Of all work that pauses, one continues in each turn of the event loop: if all continued at once, a turn
 * would take as long as everything that is under way, and a short request needs several turns. While the loop is busy, a third of its time is
 * for such work. Deliveries do not use it: they do not wait behind what customers' texts cost.
 */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

/** Continues as soon as the rest is over, or the turn that began at `turnMs` was quiet. */
function goOn(turnMs = -Infinity): void {
  const nowMs = systemClock.monotonicMs();
  if (nowMs >= restUntilMs || nowMs - turnMs < QUIET_MS) next(nowMs);
  else setImmediate(goOn, nowMs);
}

function next(begunMs: number): void {
  waiting[0]?.();
  setImmediate(() => {
    const nowMs = systemClock.monotonicMs();
    restUntilMs = nowMs + Math.min(REST * (nowMs - begunMs), MOST_REST_MS);
    waiting.shift();
    if (waiting.length > 0) goOn();
  });
}
