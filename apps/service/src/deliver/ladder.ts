import { parseHttpDate } from "../lib/lib.ts";

/** Waits after attempts 1 to n, milliseconds. There is no wait after the last: that failure parks the delivery. */
export type Ladder = readonly number[];

export interface Outcome {
  readonly succeeded: boolean;
  /** The status line's code; null when none came. */
  readonly status: number | null;
  /** What the receiver asked for in `Retry-After`, milliseconds. */
  readonly retryAfterMs: number | null;
}

export type Verdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly waitMs: number }
  /** `gone`: the receiver said 410, so its endpoint is to be switched off too. */
  | { readonly kind: "parked"; readonly gone: boolean };

/** A delivery that has had this many attempts is not replayed again. */
export const MOST_ATTEMPTS = 1000;
/** What the columns hold (docs/decisions/0240): a delivery that has had this many ends without another one. */
export const COUNTED_ATTEMPTS = 32_767;

const GONE = 410;

/** What follows an attempt of the ladder (contract, section 5). `attempt` counts from 1. */
export function judge(attempt: number, outcome: Outcome, ladder: Ladder): Verdict {
  if (outcome.succeeded) return { kind: "delivered" };
  if (outcome.status === GONE) return { kind: "parked", gone: true };
  const step = ladder[attempt - 1];
  if (step === undefined) return { kind: "parked", gone: false };
  // The next step's wait bounds what a receiver can ask for; the last step has no next, so it stays as it is.
  const bound = ladder[attempt] ?? step;
  return { kind: "retry", waitMs: Math.max(step, Math.min(outcome.retryAfterMs ?? 0, bound)) };
}

/** Seconds or an HTTP date; null for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = parseHttpDate(header);
  return at === undefined ? null : Math.max(0, at - nowMs);
}
