import { setTimeout as sleep } from "node:timers/promises";

/** Waits. Ends early, without throwing, when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
