import type { wire } from "../../api/api.ts";

/** One step: an attempt that was made, or one that may follow. */
export interface Step {
  readonly number: number;
  readonly attempt: wire.Attempt | undefined;
  readonly isScheduled: boolean;
  /** Due time in Unix milliseconds; null while it is unknown. */
  readonly dueMs: number | null;
  /** Waiting time before the step. */
  readonly afterSeconds: number;
  /** True for a step that will not happen. */
  readonly isNever: boolean;
}

/** Returns the attempts made, and the remaining steps of the retry schedule. Replays appear where they happened. */
export function stepsOf(
  delivery: Pick<wire.DeliveryDetail, "state" | "next_attempt_at" | "ladder_seconds">,
  attempts: readonly wire.Attempt[],
): readonly Step[] {
  const made = attempts.map((attempt) => ({
    number: attempt.number,
    attempt,
    isScheduled: attempt.trigger !== "replay",
    dueMs: null,
    afterSeconds: 0,
    isNever: false,
  }));
  const { ladder_seconds: waits, state } = delivery;
  const last = attempts.at(-1)?.number ?? 0;
  const next = delivery.next_attempt_at === null ? null : Date.parse(delivery.next_attempt_at);
  const left = Array.from({ length: Math.max(0, waits.length + 1 - last) }, (_, step) => ({
    number: last + step + 1,
    attempt: undefined,
    isScheduled: true,
    dueMs: step === 0 && state === "pending" ? next : null,
    afterSeconds: waits[last + step - 1] ?? 0,
    isNever: state !== "pending",
  }));
  return [...made, ...left];
}
