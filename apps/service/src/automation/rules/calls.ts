import type { Event } from "../../events/events.ts";
import { parseJson, toDate } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { authorOfRow } from "../definitions/author.ts";
import { portOf } from "../definitions/step-port.ts";
import type { ProvidedActionType, StepCall, StepOutcome, StepRetry } from "../definitions/step-port.ts";
import type { Action } from "./actions.ts";
import type { ReactionDeps, RulesDeps } from "./deps.ts";
import type { RuleHead } from "./rules.store.ts";
import { changeRun } from "./runs.store.ts";

/** The result of one action, as its run shows it. */
export type ActionOutcome = { readonly type: Action["type"]; readonly status: OutcomeStatus } & Readonly<
  Record<string, unknown>
>;
type OutcomeStatus = "done" | "failed" | "pending" | "simulated";

/** A call that a run still has to make in another module. It is stored until it is done, and is the same in every attempt. */
export interface PendingCall {
  readonly type: ProvidedActionType;
  /** Position in `then`. */
  readonly at: number;
  readonly attempts: number;
  /** JSON text that the other module receives. */
  readonly body: string;
}

/** A committed run that still has calls to make. */
export interface OpenRun {
  readonly runId: Uuid;
  readonly ruleId: Uuid;
  /** The rule, or the reason why no further calls are made. */
  readonly rule: RuleHead | { readonly code: string; readonly reason: string };
  readonly outcomes: readonly ActionOutcome[];
  readonly calls: readonly PendingCall[];
}

/** Equals the number of attempts of a stage. */
const MAX_TRIES = 6;
/** The maximum number of an event's runs that make calls at the same time. */
const CALLING = 8;

/** Makes the calls of an event's runs. Throws if a call must be retried, so that the stage is retried, after all were made. */
export async function callAll(deps: ReactionDeps, event: Event, open: readonly OpenRun[]): Promise<void> {
  const faults: unknown[] = [];
  for (let at = 0; at < open.length; at += CALLING) {
    const calling = open.slice(at, at + CALLING).map(async (run) => await continueRun(deps, event, run));
    faults.push(
      ...(await Promise.allSettled(calling)).flatMap((one) => (one.status === "rejected" ? [one.reason] : [])),
    );
  }
  if (faults.length > 0) throw faults[0];
}

/** Makes a run's calls in order and stores each result. */
async function continueRun(deps: RulesDeps, event: Event, run: OpenRun): Promise<void> {
  const outcomes = [...run.outcomes];
  let left: readonly PendingCall[] = run.calls;
  for (const call of run.calls) {
    const isStopped = "reason" in run.rule;
    const end = await tryCall(deps, event, run, call);
    const attempts = call.attempts + (isStopped ? 0 : 1);
    const isRepeated = end.kind === "retry" && attempts < MAX_TRIES;
    outcomes[call.at] = {
      type: call.type,
      status: isRepeated ? "pending" : end.kind === "done" ? "done" : "failed",
      attempts,
      ...shownMembers(end),
    };
    left = isRepeated
      ? left.map((one) => (one === call ? { ...call, attempts } : one))
      : left.filter((one) => one !== call);
    const change = resultColumns(deps, { outcomes, calls: left });
    // If the contact was erased, the remaining calls were deleted.
    if (!(await changeRun(deps.db.query, event.scope, { eventId: event.id, ruleId: run.ruleId }, change))) return;
  }
  if (left.length > 0) throw new Error("a rule's call failed; retrying");
}

async function tryCall(
  { ports }: RulesDeps,
  event: Event,
  { rule, runId }: OpenRun,
  { type, at, body: input }: PendingCall,
): Promise<StepOutcome | StepRetry> {
  if ("reason" in rule) return { kind: "failed", code: rule.code, error: rule.reason };
  const port = portOf(ports(), type);
  // An action that a port begins was begun in the run, so it is not among the remaining calls.
  if (port === undefined || !("run" in port))
    return { kind: "failed", code: "unavailable", error: `${type} is not available.` };
  return await port.run(callOf(event, rule, { runId, at, input, contactId: null }));
}

/** Returns a call of the rule for its event. */
export function callOf(
  event: Event,
  rule: RuleHead,
  { at, ...call }: Pick<StepCall, "runId" | "input" | "contactId"> & { readonly at: number },
): StepCall {
  const { scope, tenant } = event;
  const { id, name, version } = rule;
  const owner = { kind: "rule", id, name, version } as const;
  return { ...call, scope, stepId: String(at), owner, event, tenant, author: authorOfRow(rule) };
}

/** Returns what a run shows of another module's result. */
export function shownMembers(end: StepOutcome | StepRetry): object {
  const output = "output" in end && end.output !== undefined ? (parseJson(end.output) as object) : {};
  if (end.kind !== "failed" && end.kind !== "retry") return output;
  return { ...output, reason_code: end.code, reason: end.error };
}

/** Returns the results of a run's actions, and its remaining calls, as columns. */
export function resultColumns(
  { clock }: Pick<RulesDeps, "clock">,
  { outcomes, calls }: Pick<OpenRun, "outcomes" | "calls">,
) {
  const isOpen = calls.length > 0;
  const isFailed = outcomes.some(({ status }) => status === "failed");
  return {
    status: isOpen ? "running" : isFailed ? "failed" : "ok",
    actions: JSON.stringify(outcomes),
    pending: isOpen ? JSON.stringify(calls) : null,
    ended_at: isOpen ? null : toDate(clock.now()),
  } as const;
}
