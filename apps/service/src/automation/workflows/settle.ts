import type { Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Step } from "./definition.ts";
import { writeProgress } from "./runs.store.ts";
import type { Move, RunRow, StepRecord } from "./runs.store.ts";
import type { StepResult } from "./steps.ts";

export const LEASE_SECONDS = 60;

/** A run that is held, at one of its steps. */
export interface Moving {
  readonly run: RunRow;
  readonly step: Step;
  /** Whose the run stays while it goes on; null: nobody's, and due at once. */
  readonly leaseId: Uuid | null;
}

export interface RecordedStep {
  readonly record: StepRecord;
  readonly move: Move;
}

/** What is to be recorded of a step, and where the run goes. */
export function settled({ run, step, leaseId }: Moving, result: StepResult): RecordedStep {
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
        record: { ...record, state: "waiting" },
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

/** Records what became of a step and moves the run on. Undefined when there is nothing more to do now. */
export async function recordStepResult(tx: Tx, moving: Moving, result: StepResult): Promise<RunRow | undefined> {
  const { record, move } = settled(moving, result);
  await writeProgress(tx, [record], [move]);
  return onward(move);
}

/** The run at its next step; undefined when it waits or has ended. */
export function onward({ run, state, step, position }: Move): RunRow | undefined {
  return state === "running" ? { ...run, state, step, position, delivery_id: null, attempts: 0 } : undefined;
}

/** To the step with this id, or to the end. */
export function moveTo({ run, leaseId }: Pick<Moving, "run" | "leaseId">, step: string | null): Move {
  const to = { run, step, position: run.position + 1, delivery_id: null, attempts: 0 };
  if (step === null) return { ...to, state: "completed", lease_id: null, dueIn: null };
  return { ...to, state: "running", lease_id: leaseId, dueIn: leaseId === null ? 0 : LEASE_SECONDS };
}

/** It stays at its step: a replay of the delivery that failed it may take it on from there. */
export function failing(run: RunRow, error: string): Move {
  const { step, position } = run;
  return { run, state: "failed", step, position, error, lease_id: null, dueIn: null };
}
