import type { Tx } from "../../platform/db/db.ts";
import { OvertakenError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { present } from "../definitions/definition.ts";
import { portOf } from "../definitions/step-port.ts";
import type { BeginPort } from "../definitions/step-port.ts";
import { cancelQueued, detachChildren, openChildren } from "./children.store.ts";
import { cancelSteps, findRun, holdRun, stepsOf, writeProgress } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { waitsEnded } from "./waits.store.ts";

/**
 * Ends a run that is in progress with its child runs, and cancels what they wait for. Returns its previous state. A run with `ended_at` had already ended and
 * is left unchanged. Throws `OvertakenError` if the run has just advanced to a step that another module decides: try the transaction again.
 */
export async function cancelRun(
  deps: WorkflowsDeps,
  tx: Tx,
  scope: Scope,
  { id, reason }: { readonly id: Uuid; readonly reason?: string | undefined },
): Promise<RunRow> {
  const key = { bucket: scope.bucket, tag: scope.tag, id };
  const seen = present(await findRun(tx.query, key));
  // The port locks its step before the run is locked. A transaction that decides a step locks in the same order, so there is no deadlock.
  const port = await waitingPort(deps, tx, seen);
  await port?.cancel?.(tx, { scope, runId: id, stepId: String(seen.step) });
  const run = present(await holdRun(tx.query, key));
  if (run.ended_at !== null) return run;
  if (run.position !== seen.position && (await waitingPort(deps, tx, run)) !== undefined)
    throw new OvertakenError("the workflow run advanced to another step");
  const { step, position } = run;
  const move = { run, state: "cancelled", step, position, error: reason, lease_id: null, dueIn: null } as const;
  await writeProgress(tx, [], [move], [waitsEnded([run])]);
  await cancelSteps(tx.query, key);
  if (run.delivery_id !== null) await deps.ownedDeliveries.cancel(tx, scope, run.delivery_id);
  if (run.parent_id === null) await cancelChildren(deps, tx, scope, { run, reason });
  return run;
}

async function cancelChildren(
  deps: WorkflowsDeps,
  tx: Tx,
  scope: Scope,
  { run, reason }: { readonly run: RunRow; readonly reason: string | undefined },
): Promise<void> {
  await cancelQueued(tx.query, run);
  for (const id of await openChildren(tx.query, run)) await cancelRun(deps, tx, scope, { id, reason });
  await detachChildren(tx.query, run);
}

/** Returns the port of the step at which the run waits. Undefined if it waits for no port. */
async function waitingPort({ ports }: WorkflowsDeps, tx: Tx, run: RunRow): Promise<BeginPort | undefined> {
  if (run.state !== "waiting") return undefined;
  const step = (await stepsOf(tx.query, run)).find(({ position }) => position === run.position);
  const port = portOf(ports(), step?.type);
  return port !== undefined && "begin" in port ? port : undefined;
}
