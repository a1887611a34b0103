import type { Db, Tx } from "../db/db.ts";
import type { Posting } from "../deliver/deliver.ts";
import { decodeCursor, pageOf, ServiceError } from "../kernel/kernel.ts";
import type { Page, Uuid } from "../kernel/kernel.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { existing } from "./definitions.ts";
import type { StepPort } from "./port.ts";
import { cancelSteps, findRun, holdRun, listRuns, moveRun, stepsOf } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { runText, runView } from "./views.ts";
import type { RunView } from "./views.ts";

export interface RunQuery {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Runs of one environment. */
export interface Runs {
  list(scope: Scope, workflowId: string, query: RunQuery): Promise<Page<RunView>>;
  /** JSON text, with the steps. */
  get(scope: Scope, id: string): Promise<string>;
  /** Ends a run that is under way, and the delivery it waits for. Throws 409 `conflict` when it has ended. */
  cancel(scope: Scope, id: string): Promise<string>;
}

export interface RunsDeps {
  readonly db: Db;
  readonly posting: Posting;
  readonly ports: readonly StepPort[];
}

export function createRuns(deps: RunsDeps): Runs {
  const { db } = deps;
  return {
    async list(scope, workflowId, { limit = 20, cursor, state }) {
      const workflow = await existing(db, scope, workflowId);
      const binding = [scope.tag, "workflow_runs", workflow.id, state];
      const filter = { workflowId: workflow.id, state, before: decodeCursor(cursor, binding) };
      const rows = await listRuns(db.query, scope, filter, limit + 1);
      return pageOf(rows, limit, binding, (row) => runView(scope, row));
    },
    get: async (scope, id) => await read(db, scope, id),
    async cancel(scope, id) {
      await db.transaction(async (tx) => await cancel(deps, tx, scope, ownUuid(scope, "wfr", id)));
      return await read(db, scope, id);
    },
  };
}

async function cancel(deps: RunsDeps, tx: Tx, scope: Scope, id: Uuid): Promise<void> {
  const key = { bucket: scope.bucket, tag: scope.tag, id };
  const seen = present(await findRun(tx.query, key));
  // Before the run is held, so that nobody who decides a step and then holds its run waits for us.
  if (seen.step !== null) await (await portOf(deps, tx, seen))?.cancel(tx, { scope, runId: id, stepId: seen.step });
  const run = present(await holdRun(tx.query, key));
  if (run.ended_at !== null)
    throw new ServiceError("conflict", {
      detail: `Only a run that is under way can be cancelled; this one is ${run.state}.`,
    });
  if (run.position !== seen.position && (await portOf(deps, tx, run)) !== undefined)
    throw new ServiceError("conflict", { detail: "The run went on to another step meanwhile. Try again." });
  const { step, position } = run;
  await moveRun(tx.query, key, { state: "cancelled", step, position, lease_id: null, dueIn: null });
  await cancelSteps(tx.query, key);
  if (run.delivery_id !== null) await deps.posting.cancel(tx, scope, run.delivery_id);
}

function present(run: RunRow | undefined): RunRow {
  if (run === undefined) throw new ServiceError("not_found");
  return run;
}

/** Whose step the run waits at; undefined when it waits for nobody. */
async function portOf({ ports }: RunsDeps, tx: Tx, run: RunRow): Promise<StepPort | undefined> {
  if (run.state !== "waiting") return undefined;
  const step = (await stepsOf(tx.query, run)).find(({ position }) => position === run.position);
  return ports.find(({ type }) => type === step?.type);
}

async function read(db: Db, scope: Scope, id: string): Promise<string> {
  const key = { bucket: scope.bucket, tag: scope.tag, id: ownUuid(scope, "wfr", id) };
  const run = present(await findRun(db.query, key));
  return runText(scope, run, await stepsOf(db.query, run));
}
