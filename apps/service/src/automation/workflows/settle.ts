import type { Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Step } from "./definition.ts";
import { writeProgress } from "./runs.store.ts";
import type { Move, RunRow, StepRecord } from "./runs.store.ts";
import type { StepResult } from "./steps.ts";

export const LEASE_SECONDS = 60;

/** A locked run at one of its steps. */
export interface Moving {
  readonly run: RunRow;
  readonly step: Step;
  /** The lease that holds the run while it continues. Null: no lease holds it, and it is due at once. */
  readonly leaseId: Uuid | null;
}

export interface RecordedStep {
  readonly record: StepRecord;
  readonly move: Move;
}

/** Returns the record of a step and the next state of its run. */
export function settled({ run: before, step, leaseId }: Moving, result: StepResult): RecordedStep {
  const isTaken = result.kind === "done" && result.tenant !== undefined;
  const run = isTaken ? { ...before, tenant: result.tenant ?? null } : before;
  const record = { run, step_id: step.id, type: step.type, output: result.output, error: null };
  switch (result.kind) {
    case "done":
      return { record: { ...record, state: "completed" }, move: moveTo({ run, leaseId }, result.next) };
    case "failed":
      return {
        record: { ...record, state: "failed", error: result.error },
        move:
          result.next === undefined
            ? failing(run, `Step ${step.id} failed: ${result.error}`)
            : moveTo({ run, leaseId }, result.next),
      };
    default:
      return {
        record: { ...record, state: "waiting", error: noteOf(result) },
        move: {
          run,
          state: "waiting",
          step: step.id,
          position: run.position,
          attempts: 0,
          delivery_id: result.kind === "delivery" ? result.deliveryId : null,
          lease_id: null,
          dueIn: result.kind === "delay" ? result.seconds : null,
        },
      };
  }
}

function noteOf(result: StepResult): string | null {
  return result.kind === "delay" ? (result.note ?? null) : null;
}

/** Records the result of a step and advances the run. Returns undefined if there is nothing more to do now. */
export async function recordStepResult(tx: Tx, moving: Moving, result: StepResult): Promise<RunRow | undefined> {
  const { record, move } = settled(moving, result);
  await writeProgress(tx, [record], [move]);
  return onward(move);
}

/** Returns the run at its next step. Undefined if it waits or has ended. */
export function onward({ run, state, step, position }: Move): RunRow | undefined {
  return state === "running" ? { ...run, state, step, position, delivery_id: null, attempts: 0 } : undefined;
}

/** Moves the run to the step with this id, or to its end. */
export function moveTo({ run, leaseId }: Pick<Moving, "run" | "leaseId">, step: string | null): Move {
  const to = { run, step, position: run.position + 1, delivery_id: null, attempts: 0 };
  if (step === null) return { ...to, state: "completed", lease_id: null, dueIn: null };
  return { ...to, state: "running", lease_id: leaseId, dueIn: leaseId === null ? 0 : LEASE_SECONDS };
}

/** Fails the run at its current step, so that a replay of its failed delivery can resume it there. */
export function failing(run: RunRow, error: string): Move {
  const { step, position } = run;
  return { run, state: "failed", step, position, error, lease_id: null, dueIn: null };
}
