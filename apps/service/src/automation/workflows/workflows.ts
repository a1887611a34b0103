import { createRateLimiter } from "../../access/access.ts";
import type { SecretSource } from "../../audit/audit.ts";
import type { Contacts, PersonalData } from "../../contacts/contacts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { EventRecords, OwnedDeliveries } from "../../webhooks/webhooks.ts";
import type { Events, Subscriber } from "../../events/events.ts";
import { createWorkShares } from "../../lib/lib.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Capability } from "../rules/rules.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { createDefinitions } from "./definitions.ts";
import type { Definitions } from "./definitions.ts";
import { createRunWorker } from "./runs.worker.ts";
import { createRuns } from "./runs.ts";
import type { Runs } from "./runs.ts";
import type { StepEnd, StepPlace, StepPort } from "./port.ts";
import type { LimitDeps } from "./limits.ts";
import { personalRuns, tenantRuns } from "./personal.ts";
import { resume } from "./resume.ts";
import { createStarting } from "./starting.ts";
import { createTrigger } from "./trigger.ts";
import { createWaitingRuns } from "./waiting-runs.ts";
import { workflowSecretSource } from "./workflow-headers.ts";

export { sealedByWorkflows, sealPlainWorkflows } from "./workflow-headers.ts";
export type { StepCall, StepEnd, StepOutcome, StepPlace, StepPort } from "./port.ts";

/** Manages and runs workflows, which run steps when an event meets their trigger (contract, section 7). */
export interface Workflows {
  readonly definitions: Definitions;
  readonly runs: Runs;
  /** Registered with `dispatch`. */
  readonly trigger: Subscriber;
  /** Continues the runs that wait for an event. Registered with `dispatch`, before `trigger`. */
  readonly waiting: Subscriber;
  /** Provides the rules' action `start_workflow`. */
  readonly starting: Capability;
  /**
   * Ends a step for which a port returned `waits`, in the transaction that decided it. The run continues after the commit. Returns
   * false and writes nothing if the run no longer waits at this step, because the step was ended or the run was cancelled before.
   */
  resume(tx: Tx, place: StepPlace, end: StepEnd): Promise<boolean>;
  /** Signals that a run may be due, on this node or another one. */
  wake(): void;
  /** The credentials in the headers of workflows, for redaction. */
  readonly secrets: SecretSource;
  /** The personal data in runs. */
  readonly personal: PersonalData;
  /** The runs of a deleted tenant. */
  readonly ofTenants: EventRecords;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkflowsDeps extends Pick<LimitDeps, "signals"> {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly contacts: Contacts;
  readonly events: Pick<Events, "fireWithin" | "acceptedBetween">;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly sealer: Sealer;
  /** The types of steps that other modules provide. A step without its provider is refused when it is saved. */
  readonly ports: () => readonly StepPort[];
  /** False in a process that only accepts requests. */
  readonly works: boolean;
}

const CHANNEL = "junction_workflow";

export function createWorkflows(given: WorkflowsDeps): Workflows {
  const deps = { ...given, rates: createRateLimiter(given.db), shares: createWorkShares(given.clock) };
  const { db, log } = deps;
  const worker = deps.works ? createRunWorker({ ...deps, leaseId: deps.ids.uuid() }) : null;
  const wake = (): void => {
    if (worker !== null) worker.wake();
    else
      db.notify(CHANNEL).catch((error: unknown) =>
        log.warn({ err: error }, "failed to notify workers of runs; they will poll"),
      );
  };
  let unlisten: (() => Promise<void>) | undefined;
  return {
    definitions: createDefinitions({ ...deps, wake }),
    runs: createRuns(deps),
    trigger: createTrigger({ ...deps, wake }),
    waiting: createWaitingRuns({ ...deps, wake }),
    starting: createStarting({ ...deps, wake }),
    async resume(tx, place, end) {
      const isResumed = await resume(tx, place, end);
      if (isResumed) tx.onCommit(wake);
      return isResumed;
    },
    wake,
    secrets: workflowSecretSource(deps.sealer),
    personal: personalRuns(deps),
    ofTenants: tenantRuns(deps),
    async start() {
      if (worker === null) return;
      unlisten = await db.listen(CHANNEL, worker.wake);
      worker.start();
    },
    async stop() {
      await unlisten?.();
      await worker?.stop();
    },
  };
}
