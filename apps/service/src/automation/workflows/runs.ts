import type { Db, Tx } from "../../platform/db/db.ts";
import { paginate, retryOnConflict, ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { findExisting, present } from "../definitions/definition.ts";
import { cancelRun } from "./cancelling.ts";
import { childrenOf } from "./children.store.ts";
import { findRun, listRuns, stepsOf } from "./runs.store.ts";
import { runText, runView } from "./views.ts";
import { WORKFLOWS } from "./workflow-kind.ts";

export interface RunQuery {
  readonly state?: string;
  /** Lists the branches and items that this run started, in their order, instead of the runs that are not part of another one. */
  readonly parent_run_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** The maximum number of times that a cancellation may meet a run that advances at that moment. */
const TRIES = 5;
/** The number of branches and items that a run shows. */
const SHOWN_CHILDREN = 100;

/** Creates the reads and the cancellation of one environment's runs. */
export function createRuns(deps: WorkflowsDeps) {
  const { db } = deps;
  return {
    async list(scope: Scope, workflowId: string, { state, parent_run_id: parentId, ...page }: RunQuery) {
      const workflow = await findExisting(db.query, WORKFLOWS, scope, workflowId);
      const parent = parentId === undefined ? undefined : await parentIn(db, scope, workflow.id, parentId);
      const { bucket, tag } = scope;
      return await paginate(page, {
        binding: [scope.tag, "workflow_runs", workflow.id, state, parent],
        read: async (last, limit) =>
          parent === undefined
            ? await listRuns(db.query, scope, { workflowId: workflow.id, state, before: last }, limit)
            : await childrenOf(db.query, { bucket, tag, id: parent }, { after: last, state, limit }),
        view: (row) => JSON.stringify(runView(scope, row)),
      });
    },
    /** Returns JSON text, with the steps. */
    get: async (scope: Scope, id: string): Promise<string> => await read(db, scope, id),
    /** Ends a run that is in progress, and the delivery that it waits for. Throws 409 `conflict` if it has ended. */
    async cancel(scope: Scope, id: string): Promise<string> {
      const uuid = ownUuid(scope, "wfr", id);
      await retryOnConflict(TRIES, async () => await db.transaction(async (tx) => await end(deps, tx, scope, uuid)));
      return await read(db, scope, id);
    },
  };
}

async function end(deps: WorkflowsDeps, tx: Tx, scope: Scope, id: Uuid): Promise<void> {
  const run = await cancelRun(deps, tx, scope, { id });
  if (run.ended_at === null) return;
  throw new ServiceError("conflict", {
    detail: `Only a run that is in progress can be cancelled; this one is ${run.state}.`,
  });
}

/** Returns the id of a run of the workflow. Throws 404 if there is none. */
async function parentIn(db: Db, { bucket, tag }: Scope, workflowId: Uuid, id: string): Promise<Uuid> {
  const run = present(await findRun(db.query, { bucket, tag, id: ownUuid({ tag }, "wfr", id) }));
  if (run.workflow_id !== workflowId) throw new ServiceError("not_found");
  return run.id;
}

async function read(db: Db, scope: Scope, id: string): Promise<string> {
  const key = { bucket: scope.bucket, tag: scope.tag, id: ownUuid(scope, "wfr", id) };
  const run = present(await findRun(db.query, key));
  const children = await childrenOf(db.query, run, { limit: SHOWN_CHILDREN });
  return runText(scope, run, { steps: await stepsOf(db.query, run), children });
}
