import { after, toDate } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { StageChange, StageKey } from "./dispatch.store.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5_000;
const MAX_ERROR = 500;

export interface Stage extends StageKey {
  /** Made so far. */
  readonly attempts: number;
}

/** The failed stage has ended as far as its successors care; its retries go on in the background, by whichever node looks first. */
export function failure(
  stage: Stage,
  { error, startedAt, now }: { readonly error: unknown; readonly startedAt: Instant; readonly now: Instant },
): StageChange {
  const attempts = stage.attempts + 1;
  const message = error instanceof Error ? error.message : String(error);
  return {
    stage,
    // A subscriber is given up in the end; deliveries are never left behind.
    state: attempts >= MAX_ATTEMPTS && stage.kind !== "webhook" ? "failed" : "waiting",
    attempts,
    startedAt: toDate(startedAt),
    endedAt: toDate(now),
    error: message.slice(0, MAX_ERROR),
    retryAt: toDate(after(now, FIRST_RETRY_MS * 4 ** (Math.min(attempts, MAX_ATTEMPTS) - 1))),
  };
}
