import type { Tx } from "../../platform/db/db.ts";
import { PROVIDED_STEPS } from "../definitions/step-port.ts";
import type { ProvidedStepType, StepEnd, StepPlace } from "../definitions/step-port.ts";
import { savedDefinition } from "./definition.ts";
import type { Step } from "./definition.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { holdRun } from "./runs.store.ts";
import { recordStepResult } from "./settle.ts";
import { resultOf } from "./steps.ts";
import { pinnedDefinitions } from "./workflows.store.ts";

/**
 * Ends a step for which a port returned `waits`, in the transaction that decided it. A worker runs the next steps after the commit. Returns
 * false and writes nothing if the run no longer waits at this step, because the step was ended or the run was cancelled before.
 */
export async function resume(
  { wake }: Pick<WorkflowsDeps, "wake">,
  tx: Tx,
  { scope, runId, stepId }: StepPlace,
  end: StepEnd,
): Promise<boolean> {
  const run = await holdRun(tx.query, { bucket: scope.bucket, tag: scope.tag, id: runId });
  if (run?.state !== "waiting" || run.step !== stepId) return false;
  const [workflow] = await pinnedDefinitions(tx, [run]);
  const step = workflow && savedDefinition(workflow).step(stepId);
  if (step === undefined || !isProvided(step)) return false;
  await recordStepResult(tx, { run, step, leaseId: null }, resultOf(step, end));
  tx.onCommit(wake);
  return true;
}

function isProvided(step: Step): step is Extract<Step, { type: ProvidedStepType }> {
  return PROVIDED_STEPS.some((type) => type === step.type);
}
