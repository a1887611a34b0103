import type { Tx } from "../../platform/db/db.ts";
import type { Posting } from "../../webhooks/webhooks.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { StepPort } from "./port.ts";
import { cancelSteps, findRun, holdRun, stepsOf, writeProgress } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";

export interface CancellingDeps {
  readonly posting: Pick<Posting, "cancel">;
  readonly ports: () => readonly StepPort[];
}

/**
 * Ends a run that is under way, and what it waits for. Answers how it stood before; with `ended_at`, it had ended already and is left
 * as it is. Throws 409 `conflict` when it went on meanwhile to a step that another module decides.
 */
export async function cancelRun(deps: CancellingDeps, tx: Tx, scope: Scope, id: Uuid): Promise<RunRow> {
  const key = { bucket: scope.bucket, tag: scope.tag, id };
  const seen = present(await findRun(tx.query, key));
  // Before the run is held, so that nobody who decides a step and then holds its run waits for us.
  if (seen.step !== null) await (await portOf(deps, tx, seen))?.cancel(tx, { scope, runId: id, stepId: seen.step });
  const run = present(await holdRun(tx.query, key));
  if (run.ended_at !== null) return run;
  if (run.position !== seen.position && (await portOf(deps, tx, run)) !== undefined)
    throw new ServiceError("conflict", { detail: "The workflow run advanced to another step. Try again." });
  const { step, position } = run;
  await writeProgress(tx, [], [{ run, state: "cancelled", step, position, lease_id: null, dueIn: null }]);
  await cancelSteps(tx.query, key);
  if (run.delivery_id !== null) await deps.posting.cancel(tx, scope, run.delivery_id);
  return run;
}

/** Throws 404. */
export function present(run: RunRow | undefined): RunRow {
  if (run === undefined) throw new ServiceError("not_found");
  return run;
}

/** Whose step the run waits at; undefined when it waits for nobody. */
async function portOf({ ports }: CancellingDeps, tx: Tx, run: RunRow): Promise<StepPort | undefined> {
  if (run.state !== "waiting") return undefined;
  const step = (await stepsOf(tx.query, run)).find(({ position }) => position === run.position);
  return ports().find(({ type }) => type === step?.type);
}
