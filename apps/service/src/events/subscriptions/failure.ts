import { after, toDate } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { StageChange, StageKey } from "./dispatch.store.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5_000;
const MAX_ERROR = 500;

export interface Stage extends StageKey {
  /** The number of attempts so far. */
  readonly attempts: number;
}

/**
 * Returns the change for a failed stage. Later stages treat it as ended; any node that claims it continues its retries
 * in the background.
 */
export function failure(
  stage: Stage,
  { error, startedAt, now }: { readonly error: unknown; readonly startedAt: Instant; readonly now: Instant },
): StageChange {
  const attempts = stage.attempts + 1;
  const message = error instanceof Error ? error.message : String(error);
  return {
    stage,
    // A subscriber fails after the last attempt. The stage of the deliveries is retried without a limit, so that no
    // delivery is lost.
    state: attempts >= MAX_ATTEMPTS && stage.kind !== "webhook" ? "failed" : "waiting",
    attempts,
    startedAt: toDate(startedAt),
    endedAt: toDate(now),
    error: message.slice(0, MAX_ERROR),
    retryAt: toDate(after(now, FIRST_RETRY_MS * 4 ** (Math.min(attempts, MAX_ATTEMPTS) - 1))),
  };
}
