import type { Contacts } from "../contacts/contacts.ts";
import type { Db, Tx } from "../db/db.ts";
import type { Clock, Uuid } from "../kernel/kernel.ts";
import type { Log } from "../telemetry/telemetry.ts";
import { needsContact, savedDefinition } from "./definition.ts";
import { runFacts } from "./facts.ts";
import { delayRun, holdLeased, stepsOf } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { refusalOf } from "./rights.ts";
import { fail, goTo, settle } from "./settle.ts";
import { authorOfWorkflow, beginStep, endStep, scopeOfRun } from "./steps.ts";
import type { StepDeps, StepResult } from "./steps.ts";
import type { Step } from "./definition.ts";
import { pinnedDefinition } from "./workflows.store.ts";
import type { Pinned } from "./workflows.store.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_SECONDS = 2;

export interface AdvanceDeps extends StepDeps {
  readonly db: Db;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly log: Log;
  readonly leaseId: Uuid;
  readonly clock: Clock;
}

/** Goes through a claimed run until it waits or ends, or until told to stop: then its lease is given back. */
export async function advance(deps: AdvanceDeps, claimed: RunRow, isStopping: () => boolean): Promise<void> {
  let run: RunRow | undefined = claimed;
  while (run !== undefined && !isStopping()) {
    const current: RunRow = run;
    try {
      run = await deps.db.transaction(async (tx) => await stepOnce(deps, tx, current));
    } catch (error) {
      deps.log.warn(
        { err: error, run_id: current.id, step: current.step },
        "a workflow's step failed; it is tried again",
      );
      await deps.db.transaction(async (tx) => await putOff(deps, tx, current));
      return;
    }
  }
}

/** One step: its effect and its record are one commit, so a crash leaves both or neither. Undefined when there is nothing more to do now. */
async function stepOnce(deps: AdvanceDeps, tx: Tx, claimed: RunRow): Promise<RunRow | undefined> {
  const run = await holdLeased(tx, claimed, deps.leaseId);
  if (run === undefined) return undefined;
  const workflow = await pinnedDefinition(tx.query, run);
  const definition = savedDefinition(workflow);
  const step = run.step === null ? undefined : definition.step(run.step);
  if (step === undefined) {
    await goTo(tx, { run, leaseId: null }, null);
    return undefined;
  }
  const before = await stepsOf(tx.query, run);
  const begun = before.find(({ position }) => position === run.position);
  const outputs = new Map(before.map((row) => [row.step_id, row.output ?? "null"]));
  const contact = needsContact(step)
    ? await deps.contacts.reacting.find(scopeOfRun(run), run.data, tx.query)
    : undefined;
  const facts = runFacts({ event: run.event_name, data: run.data, contact, input: run.input, outputs });
  const result =
    begun === undefined
      ? ((await refused(deps, { run, workflow }, step)) ?? (await beginStep(deps, tx, { run, facts, workflow }, step)))
      : endStep(run, step, begun.output ?? "{}");
  return await settle(tx, { run, step, leaseId: deps.leaseId }, result);
}

/** A step that the author may not do now fails the run: whoever lost a right has lost it here too. */
async function refused(
  deps: AdvanceDeps,
  { run, workflow }: { readonly run: RunRow; readonly workflow: Pinned },
  step: Step,
): Promise<StepResult | undefined> {
  const refusal = await refusalOf(deps, { workspaceId: run.workspace_id, author: authorOfWorkflow(workflow) }, step);
  if (refusal === undefined) return undefined;
  return { kind: "failed", output: null, error: `${refusal.code}: ${refusal.details.detail ?? ""}`, next: undefined };
}

async function putOff(deps: AdvanceDeps, tx: Tx, claimed: RunRow): Promise<void> {
  const run = await holdLeased(tx, claimed, deps.leaseId);
  if (run === undefined) return;
  const attempts = run.attempts + 1;
  if (attempts >= MAX_ATTEMPTS) {
    await fail(tx, run, `Step ${run.step ?? ""} could not be done after ${MAX_ATTEMPTS} tries.`);
    return;
  }
  await delayRun(tx.query, run, attempts, FIRST_RETRY_SECONDS * 4 ** (attempts - 1));
}
