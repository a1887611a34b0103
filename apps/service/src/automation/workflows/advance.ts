import type { Tx } from "../../platform/db/db.ts";
import { createWorkShares, isPassing, retryOnConflict } from "../../lib/lib.ts";
import type { Uuid, WorkShares } from "../../lib/lib.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { cancelRun } from "./cancelling.ts";
import { afterStep, coursesOf, createReader } from "./course.ts";
import type { Course, ReadyCourse } from "./course.ts";
import { delayRun, holdLeased, scopeOfRun, writeProgress } from "./runs.store.ts";
import type { Move, RunRow, StepRecord } from "./runs.store.ts";
import { waitsEnded } from "./waits.store.ts";
import { failing, moveTo, onward, recordStepResult, settled } from "./settle.ts";
import { beginStep, firedStep, planStep } from "./steps.ts";
import type { Plan, StepResult } from "./steps.ts";

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_SECONDS = 2;
const CANCEL_TRIES = 5;
const DELETED = "deleted";

export interface AdvanceDeps extends WorkflowsDeps {
  readonly leaseId: Uuid;
}

/**
 * Advances claimed runs in one transaction, each through the steps that write nothing but events, as far as possible. Returns the runs
 * that are then at another kind of step, and those that failed here, which advance alone. If a run fails, the batch is halved and retried.
 */
export async function advanceTogether(deps: AdvanceDeps, claimed: readonly RunRow[]): Promise<readonly RunRow[]> {
  try {
    return await deps.db.transaction(async (tx) => await together(deps, tx, claimed));
  } catch (error) {
    if (claimed.length <= 1 || isPassing(error)) return claimed;
    const middle = Math.ceil(claimed.length / 2);
    const first = await advanceTogether(deps, claimed.slice(0, middle));
    return [...first, ...(await advanceTogether(deps, claimed.slice(middle)))];
  }
}

async function together(deps: AdvanceDeps, tx: Tx, claimed: readonly RunRow[]): Promise<readonly RunRow[]> {
  const records: StepRecord[] = [];
  const moves = new Map<Uuid, Move>();
  const alone: RunRow[] = [];
  const read = createReader(deps, tx);
  const shares = createWorkShares(deps.clock);
  let going = await coursesOf(tx, claimed, deps.leaseId);
  while (going.length > 0) {
    const plans = await plansOf(shares, await read(going));
    const results = await fireAll(deps, tx, plans);
    going = going.flatMap((course, at): Course[] => {
      const { run, step } = course;
      const result = results[at];
      if (course.workflow.is_deleted) alone.push(run);
      else if (step === undefined) moves.set(run.id, moveTo({ run, leaseId: null }, null));
      else if (result === undefined) alone.push(run);
      else {
        const { record, move } = settled({ run, step, leaseId: deps.leaseId }, result);
        records.push(record);
        moves.set(run.id, move);
        const next = onward(move);
        return next === undefined ? [] : [afterStep(course, next, result.output ?? "null")];
      }
      return [];
    });
  }
  if (moves.size > 0) await writeProgress(tx, records, [...moves.values()]);
  return alone;
}

async function plansOf(shares: WorkShares, courses: readonly ReadyCourse[]): Promise<(Plan | undefined)[]> {
  const plans: (Plan | undefined)[] = [];
  for (const course of courses) {
    course.facts.budget = shares.budgetOf(course.run.tag);
    plans.push(planOf(course));
    if (shares.isDue()) await shares.pause();
  }
  return plans;
}

function planOf(course: ReadyCourse): Plan | undefined {
  const { step, workflow, result } = course;
  if (step === undefined || workflow.is_deleted) return undefined;
  return result ?? planStep(course, step);
}

/** Returns the results of the steps after it has fired their events. */
async function fireAll(
  { events }: AdvanceDeps,
  tx: Tx,
  plans: readonly (Plan | undefined)[],
): Promise<(StepResult | undefined)[]> {
  const firing = plans.filter((plan) => plan?.kind === "fires");
  const fired = await events.fireWithin(
    tx,
    firing.map(({ event }) => event),
  );
  const byPlan = new Map(firing.map((plan, at) => [plan, fired[at]]));
  return plans.map((plan) => (plan?.kind === "fires" ? firedStep(byPlan.get(plan), plan.next) : plan));
}

/** Advances a claimed run, with one transaction per step, until it waits, ends or must stop. In the last case the worker releases its lease. */
export async function advance(deps: AdvanceDeps, claimed: RunRow, isStopping: () => boolean): Promise<void> {
  let run: RunRow | undefined = claimed;
  while (run !== undefined && !isStopping()) {
    const current: RunRow = run;
    try {
      const next = await deps.db.transaction(async (tx) => await stepOnce(deps, tx, current));
      if (next === DELETED) await endDeleted(deps, current);
      run = next === DELETED ? undefined : next;
    } catch (error) {
      deps.log.warn({ err: error, run_id: current.id, step: current.step }, "a workflow step failed; retrying");
      await deps.db.transaction(async (tx) => await putOff(deps, tx, current));
      return;
    }
  }
}

/** Runs one step. Its effect and its record are one commit, so a crash leaves both or neither. Returns undefined if there is nothing more to do now. */
async function stepOnce(deps: AdvanceDeps, tx: Tx, claimed: RunRow): Promise<RunRow | typeof DELETED | undefined> {
  const [course] = await coursesOf(tx, [claimed], deps.leaseId);
  if (course === undefined) return undefined;
  if (course.workflow.is_deleted) return DELETED;
  const { run, step } = course;
  if (step === undefined) {
    await writeProgress(tx, [], [moveTo({ run, leaseId: null }, null)]);
    return undefined;
  }
  const [ready] = await createReader(deps, tx)([course]);
  if (ready === undefined) return undefined;
  const [planned] = await fireAll(deps, tx, [planOf(ready)]);
  const result = planned ?? (await beginStep(deps, tx, ready, step));
  return await recordStepResult(tx, { run, step, leaseId: deps.leaseId }, result);
}

/** Cancels a run whose workflow was deleted, in a transaction that locks in the order of a cancellation. */
async function endDeleted(deps: AdvanceDeps, run: RunRow): Promise<void> {
  const reason = "The workflow was deleted.";
  await retryOnConflict(
    CANCEL_TRIES,
    async () =>
      await deps.db.transaction(async (tx) => await cancelRun(deps, tx, scopeOfRun(run), { id: run.id, reason })),
  );
}

async function putOff(deps: AdvanceDeps, tx: Tx, claimed: RunRow): Promise<void> {
  const [run] = await holdLeased(tx, [claimed], deps.leaseId);
  if (run === undefined) return;
  const attempts = run.attempts + 1;
  if (attempts >= MAX_ATTEMPTS) {
    const error = `Step ${run.step ?? ""} failed after ${MAX_ATTEMPTS} attempts.`;
    await writeProgress(tx, [], [failing(run, error)], [waitsEnded([run])]);
    return;
  }
  await delayRun(tx.query, run, attempts, FIRST_RETRY_SECONDS * 4 ** (attempts - 1));
}
