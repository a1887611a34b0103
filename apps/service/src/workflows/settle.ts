import type { Tx } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Step } from "./definition.ts";
import { moveRun, recordStep } from "./runs.store.ts";
import type { RunRow, StepRow } from "./runs.store.ts";
import type { StepResult } from "./steps.ts";

export const LEASE_SECONDS = 60;

/** A run that is held, at one of its steps. */
export interface Moving {
  readonly run: RunRow;
  readonly step: Step;
  /** Whose the run stays while it goes on; null: nobody's, and due at once. */
  readonly leaseId: Uuid | null;
}

/** Records what became of a step and moves the run on. Undefined when there is nothing more to do now. */
export async function settle(tx: Tx, moving: Moving, result: StepResult): Promise<RunRow | undefined> {
  const { run, step, leaseId } = moving;
  const record = (state: StepRow["state"], error: string | null = null): Promise<void> =>
    recordStep(tx, run, { step_id: step.id, type: step.type, state, output: result.output, error });
  if (result.kind === "done") {
    await record("completed");
    return await goTo(tx, { run, leaseId }, result.next);
  }
  if (result.kind === "failed") {
    await record("failed", result.error);
    if (result.next !== undefined) return await goTo(tx, { run, leaseId }, result.next);
    await fail(tx, run, `Step ${step.id} failed: ${result.error}`);
    return undefined;
  }
  await record("waiting");
  await moveRun(tx.query, run, {
    state: "waiting",
    step: step.id,
    position: run.position,
    attempts: 0,
    delivery_id: result.kind === "delivery" ? result.deliveryId : null,
    lease_id: null,
    dueIn: result.kind === "delay" ? result.seconds : null,
  });
  return undefined;
}

/** To the step with this id, or to the end. */
export async function goTo(
  tx: Tx,
  { run, leaseId }: Pick<Moving, "run" | "leaseId">,
  step: string | null,
): Promise<RunRow | undefined> {
  const isOver = step === null;
  const position = run.position + 1;
  const dueIn = leaseId === null ? 0 : LEASE_SECONDS;
  await moveRun(tx.query, run, {
    state: isOver ? "completed" : "running",
    step,
    position,
    delivery_id: null,
    attempts: 0,
    lease_id: isOver ? null : leaseId,
    dueIn: isOver ? null : dueIn,
  });
  return isOver ? undefined : { ...run, step, position };
}

/** It stays at its step: a replay of the delivery that failed it may take it on from there. */
export async function fail(tx: Tx, run: RunRow, error: string): Promise<void> {
  const { step, position } = run;
  await moveRun(tx.query, run, { state: "failed", step, position, error, lease_id: null, dueIn: null });
}
