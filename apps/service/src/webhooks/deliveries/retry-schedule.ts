import type { RetrySchedule } from "../endpoints/own-schedule.ts";
import type { LeasedDelivery, RestingState } from "./queue.ts";

export interface AttemptOutcome {
  readonly succeeded: boolean;
  /** The status code; null if no response was received. */
  readonly status: number | null;
  /** The receiver's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** The change of a delivery after its attempt, or if no attempt could be made. */
export type Transition =
  | { readonly kind: "delivered"; readonly state: "delivered" }
  | { readonly kind: "retry"; readonly state: null; readonly waitMs: number }
  /**
   * A replay that fails leaves the previous state. `gone`: the receiver answered 410, so its endpoint is disabled too.
   */
  | { readonly kind: "failed"; readonly state: RestingState; readonly gone: boolean }
  /** The transformation returned null, or a replay found that the filter does not hold, so that nothing is sent. */
  | { readonly kind: "filtered"; readonly state: "filtered" | "delivered" }
  /** No attempt was made. */
  | { readonly kind: "cancelled"; readonly state: "cancelled" | RestingState };

/** A delivery that has had this many attempts is not replayed again. */
export const MOST_ATTEMPTS = 1000;
/**
 * The maximum of the columns (docs/decisions/0002). A delivery that has had this many attempts ends without another
 * one.
 */
export const COUNTED_ATTEMPTS = 32_767;

const GONE = 410;

/**
 * Returns the transition after an attempt (contract, section 5). `attemptCount` is the number of attempts before it. A
 * replay is one attempt: its failure schedules nothing.
 */
export function transitionAfter(
  { attemptCount, trigger, restingState }: Pick<LeasedDelivery, "attemptCount" | "trigger" | "restingState">,
  outcome: AttemptOutcome,
  schedule: RetrySchedule,
): Transition {
  if (outcome.succeeded) return { kind: "delivered", state: "delivered" };
  const state = restingState ?? "failed";
  if (trigger === "replay") return { kind: "failed", state, gone: false };
  if (outcome.status === GONE) return { kind: "failed", state, gone: true };
  const step = schedule[attemptCount];
  if (step === undefined) return { kind: "failed", state, gone: false };
  // The next step's wait limits `Retry-After`. The last step has no next one, so its wait is unchanged.
  const bound = schedule[attemptCount + 1] ?? step;
  return { kind: "retry", state: null, waitMs: Math.max(step, Math.min(outcome.retryAfterMs ?? 0, bound)) };
}

/**
 * Returns the transition of a delivery that ends without an attempt: its endpoint or its event is gone, or no further
 * attempt can be counted.
 */
export function transitionWithoutAttempt({
  attemptCount,
  restingState,
}: Pick<LeasedDelivery, "attemptCount" | "restingState">): Transition {
  return { kind: "cancelled", state: attemptCount < COUNTED_ATTEMPTS ? "cancelled" : (restingState ?? "failed") };
}

/**
 * Returns the transition of a delivery that is not tried again: its event cannot be judged by the endpoint's filter, or an AI client's
 * receiver refused it.
 */
export function transitionRefused({ restingState }: Pick<LeasedDelivery, "restingState">): Transition {
  return { kind: "failed", state: restingState ?? "failed", gone: false };
}

/** Returns the transition of a delivery that a filter or a transformation filtered. A replay leaves a delivered one delivered. */
export function transitionFiltered({ restingState }: Pick<LeasedDelivery, "restingState">): Transition {
  return { kind: "filtered", state: restingState === "delivered" ? "delivered" : "filtered" };
}
