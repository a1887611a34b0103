import { createRateLimiter } from "../../access/access.ts";
import { createWorkShares } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { headerSecretSource } from "../definitions/sealed-headers.ts";
import type { StepEnd, StepPlace } from "../definitions/step-port.ts";
import { createDefinitions } from "./definitions.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { createRunWorker } from "./runs.worker.ts";
import { createRuns } from "./runs.ts";
import { personalRuns, tenantRuns } from "./personal.ts";
import { resume } from "./resume.ts";
import { createStarting } from "./starting.ts";
import { createTrigger } from "./trigger.ts";
import { createWaitingRuns } from "./waiting-runs.ts";
import { versionPlace } from "./workflow-headers.ts";
import { sealedVersions } from "./workflows.store.ts";

export { sealedByWorkflows, sealPlainWorkflows } from "./workflow-headers.ts";

/** Manages and runs workflows, which run steps when an event meets their trigger (contract, section 7). */
export type Workflows = ReturnType<typeof createWorkflows>;

const CHANNEL = "junction_workflow";

/** `works`: false in a process that only accepts requests. */
export function createWorkflows({
  works,
  ...given
}: Omit<WorkflowsDeps, "rates" | "shares" | "wake"> & { readonly works: boolean }) {
  const { db, ids, log } = given;
  const wake = (): void => {
    if (worker !== null) worker.wake();
    else
      db.notify(CHANNEL).catch((error: unknown) =>
        log.warn({ err: error }, "failed to notify workers of runs; they will poll"),
      );
  };
  const deps = { ...given, rates: createRateLimiter(db), shares: createWorkShares(given.clock), wake };
  const worker = works ? createRunWorker({ ...deps, leaseId: ids.uuid() }) : null;
  let unlisten: (() => Promise<void>) | undefined;
  return {
    definitions: createDefinitions(deps),
    runs: createRuns(deps),
    /** Registered with `dispatch`. */
    trigger: createTrigger(deps),
    /** Continues the runs that wait for an event. Registered with `dispatch`, before `trigger`. */
    waiting: createWaitingRuns(deps),
    /** Provides the rules' action `start_workflow`. */
    starting: createStarting(deps),
    resume: async (tx: Tx, place: StepPlace, end: StepEnd): Promise<boolean> => await resume(deps, tx, place, end),
    wake,
    /** The credentials in the headers of workflows, including earlier versions, for redaction. */
    secrets: headerSecretSource(deps.sealer, sealedVersions, (row) => versionPlace(row.workflow_id, row.version)),
    /** The personal data in runs. */
    personal: personalRuns(deps),
    /** The runs of a deleted tenant. */
    ofTenants: tenantRuns(deps),
    async start(): Promise<void> {
      if (worker === null) return;
      unlisten = await db.listen(CHANNEL, worker.wake);
      worker.start();
    },
    async stop(): Promise<void> {
      await unlisten?.();
      await worker?.stop();
    },
  };
}
