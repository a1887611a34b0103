import type { wire } from "../../api/api.ts";

/** One step: an attempt that was made, or one that may follow. */
export interface Step {
  readonly number: number;
  readonly attempt: wire.Attempt | undefined;
  readonly isOfLadder: boolean;
  /** When it is due; null where that is not known yet. Unix milliseconds. */
  readonly dueMs: number | null;
  /** Of the wait before it. */
  readonly afterSeconds: number;
  /** Nothing calls for it any more. */
  readonly isNever: boolean;
}

/** The attempts made, and those of the ladder that are left. Replays stand where they happened. */
export function stepsOf(
  delivery: Pick<wire.DeliveryDetail, "state" | "next_attempt_at" | "ladder_seconds">,
  attempts: readonly wire.Attempt[],
): readonly Step[] {
  const made = attempts.map((attempt) => ({
    number: attempt.number,
    attempt,
    isOfLadder: attempt.trigger !== "replay",
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
    isOfLadder: true,
    dueMs: step === 0 && state === "pending" ? next : null,
    afterSeconds: waits[last + step - 1] ?? 0,
    isNever: state !== "pending",
  }));
  return [...made, ...left];
}
