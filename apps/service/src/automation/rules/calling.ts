import type { Db } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { toDate } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import { callerOf, makeCall } from "./calls.ts";
import type { Call, Capabilities, CapabilityResult } from "./calls.ts";
import type { Outcome } from "./perform.ts";
import type { RuleHead } from "./rules.store.ts";
import { changeRun } from "./runs.store.ts";

/** A committed run that still has calls to make. */
export interface OpenRun {
  readonly runId: Uuid;
  readonly ruleId: Uuid;
  /** Undefined if the rule no longer exists or is disabled. */
  readonly rule: RuleHead | undefined;
  readonly outcomes: readonly Outcome[];
  readonly calls: readonly Call[];
  /** The reason why no further calls are made. */
  readonly stopped: { readonly code: string; readonly reason: string } | undefined;
}

export interface CallingDeps {
  readonly capabilities: () => Capabilities;
  readonly db: Db;
  readonly clock: Clock;
}

/** Equals the number of attempts of a stage. */
const MAX_TRIES = 6;

/** Makes a run's calls in order and stores each result. Throws if a call must be retried, so that the stage is retried. */
export async function continueRun(deps: CallingDeps, event: Event, run: OpenRun): Promise<void> {
  const outcomes = [...run.outcomes];
  let left: readonly Call[] = run.calls;
  for (const call of run.calls) {
    const tried = await tryCall(deps, event, run, call);
    const attempts = call.attempts + (run.stopped === undefined ? 1 : 0);
    const again = tried.state === "retry" && attempts < MAX_TRIES;
    outcomes[call.at] = { type: call.type, status: statusOf(tried, again), attempts, ...tried.told };
    left = again ? left.map((one) => (one === call ? { ...call, attempts } : one)) : left.filter((one) => one !== call);
    // If the contact was erased, the remaining calls were deleted.
    if (!(await keep(deps, event, run, { outcomes, left }))) return;
  }
  if (left.length > 0) throw new Error("a rule's call failed; retrying");
}

function statusOf({ state }: CapabilityResult, again: boolean): Outcome["status"] {
  if (again) return "pending";
  return state === "done" ? "done" : "failed";
}

async function tryCall(deps: CallingDeps, event: Event, run: OpenRun, call: Call): Promise<CapabilityResult> {
  if (run.stopped !== undefined || run.rule === undefined)
    return { state: "failed", told: { reason_code: run.stopped?.code, reason: run.stopped?.reason } };
  return await makeCall(deps.capabilities(), callerOf(event, run.rule, run.runId), call);
}

async function keep(
  { db, clock }: CallingDeps,
  event: Event,
  run: OpenRun,
  { outcomes, left }: { readonly outcomes: readonly Outcome[]; readonly left: readonly Call[] },
): Promise<boolean> {
  const isOpen = left.length > 0;
  const isFailed = outcomes.some(({ status }) => status === "failed");
  return await changeRun(
    db.query,
    event.scope,
    { eventId: event.id, ruleId: run.ruleId },
    {
      status: isOpen ? "running" : isFailed ? "failed" : "ok",
      actions: JSON.stringify(outcomes),
      pending: isOpen ? JSON.stringify(left) : null,
      ended_at: isOpen ? null : toDate(clock.now()),
    },
  );
}
