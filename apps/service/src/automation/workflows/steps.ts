import { evaluate, filled, FillError, isSystem } from "../../events/events.ts";
import type { FiredEvent, EventDraft } from "../../events/events.ts";
import type { Tx } from "../../platform/db/db.ts";
import { openWebhook } from "../../webhooks/webhooks.ts";
import { environmentOf, fromDate, parseJson, TooExpensiveError, wireId } from "../../lib/lib.ts";
import { authorOfRow } from "../definitions/author.ts";
import { portOf } from "../definitions/step-port.ts";
import type { ProvidedStepType, StepEnd } from "../definitions/step-port.ts";
import { fillHttpCall } from "../../http-calls/http-calls.ts";
import type { WorkflowsDeps } from "./deps.ts";
import type { Step } from "./definition.ts";
import type { At, StepResult } from "./step-result.ts";
import { scopeOfRun } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { versionPlace } from "./workflow-headers.ts";
import { beginChildren, continueChildren } from "./children.ts";
import type { ParentStep } from "./children.ts";
import { beginWait, continueWait } from "./wait-event.ts";

export type { At, StepResult } from "./step-result.ts";

/** The event of a webhook step's delivery. */
export const WEBHOOK_EVENT = "workflow.webhook";

/** The result of a step, or the event that it fires. */
export type Plan = StepResult | { readonly kind: "fires"; readonly event: EventDraft; readonly next: string | null };

/** Returns the result of a step that writes nothing but an event. Undefined for all other types: see `beginStep`. */
export function planStep(at: At, step: Step): Plan | undefined {
  switch (step.type) {
    case "condition":
      return planCondition(at, step);
    case "delay":
      return { kind: "delay", output: JSON.stringify({ seconds: step.seconds }), seconds: step.seconds };
    case "fire_event":
      return unlessUnfilled(() => planEvent(at, step));
    case "set":
      return unlessUnfilled(() => ({ kind: "done", output: filled(step.values, at.facts), next: step.next }));
    default:
      return undefined;
  }
}

function planCondition({ facts }: At, step: Of<"condition">): Plan {
  try {
    const result = evaluate(step.when, facts).truth;
    return { kind: "done", output: JSON.stringify({ result }), next: result ? step.ifSo : step.ifNot };
  } catch (error) {
    if (error instanceof TooExpensiveError)
      return failed("The condition is too expensive for the data of the run (too_expensive).");
    throw error;
  }
}

/** Returns the result of a step whose event was fired, in the transaction that records the step. */
export function firedStep(fired: FiredEvent | undefined, next: string | null): StepResult {
  return { kind: "done", output: JSON.stringify({ event_id: fired?.id ?? null }), next };
}

/** Begins a step that `planStep` does not handle, in the transaction that records it. */
export async function beginStep(deps: WorkflowsDeps, tx: Tx, at: At, step: Step): Promise<StepResult> {
  try {
    if (step.type === "webhook") return await post(deps, tx, at, step);
    if (isChecked(step)) return await wait(deps, tx, at, step);
    if ("rawInput" in step) return await delegate(deps, tx, at, step);
  } catch (error) {
    // Nothing was written yet, because templates are filled in first.
    if (error instanceof FillError) return unfilled(error);
    throw error;
  }
  throw new Error(`a step ${step.type} is planned, not begun`);
}

/** A step whose wait is checked when its run is due. */
type CheckedStep = ParentStep | Of<"wait_event">;

export function isChecked(step: Step): step is CheckedStep {
  return step.type === "wait_event" || step.type === "parallel" || step.type === "for_each";
}

async function wait(deps: WorkflowsDeps, tx: Tx, at: At, step: CheckedStep): Promise<StepResult> {
  if (step.type === "wait_event")
    return at.begun === undefined ? await beginWait(deps, tx, at, step) : await continueWait(deps, tx, at, step);
  return at.begun === undefined ? await beginChildren(deps, tx, at, step) : await continueChildren(tx, at, step);
}

function unlessUnfilled<Result>(make: () => Result): Result | StepResult {
  try {
    return make();
  } catch (error) {
    if (error instanceof FillError) return unfilled(error);
    throw error;
  }
}

function unfilled(fault: FillError): StepResult {
  return failed(`The input of the step ${fault.message}.`);
}

/** Ends a waiting step after its delay or its delivery has ended. */
export function endStep(run: RunRow, step: Step, output: string): StepResult {
  if (step.type !== "webhook") return { kind: "done", output, next: step.next };
  const ended = JSON.stringify({ ...(parseJson(output) as object), state: run.outcome, status_code: run.status_code });
  if (run.outcome === "delivered") return { kind: "done", output: ended, next: step.next };
  const error =
    run.outcome === "cancelled" ? "The delivery was cancelled." : "The delivery failed, with no further attempt.";
  return { kind: "failed", error, output: ended, next: step.onFailure };
}

type Of<Type extends Step["type"]> = Extract<Step, { type: Type }>;

function planEvent({ run, facts }: At, step: Of<"fire_event">): Plan {
  // Workflows that were saved before this check existed may contain such an event.
  if (isSystem(step.event)) {
    const error = `${step.event} is a system event, which a workflow cannot fire.`;
    return { kind: "failed", error, output: null, next: undefined };
  }
  const data = step.data === null ? run.data : filled(step.data, facts);
  const subject = wireId("wfr", run.tag, run.id);
  const chain = [...run.chain, run.event_id];
  const { tenant } = run;
  const event = { scope: scopeOfRun(run), name: step.event, data, subject, tenant, chain };
  return { kind: "fires", event, next: step.next };
}

/** Sends the webhook. A workflow with a live author sends nothing from the sandbox; one written in the sandbox does. */
async function post(deps: WorkflowsDeps, tx: Tx, at: At, step: Of<"webhook">): Promise<StepResult> {
  const { run, workflow } = at;
  if (isSimulated(at))
    return { kind: "done", output: JSON.stringify({ delivery_id: null, simulated: true }), next: step.next };
  const data = step.body === null ? run.data : filled(step.body, at.facts);
  const place = versionPlace(run.workflow_id, workflow.version);
  const webhook = { key: step.id, headers: step.headers };
  const headers = openWebhook(deps.sealer, place, webhook, workflow.headers_sealed);
  if (headers === undefined)
    return failed("The current master key cannot decrypt the values of the webhook's headers.");
  const deliveryId = await deps.ownedDeliveries.post(
    tx,
    scopeOfRun(run),
    { id: run.workflow_id, owner: "workflow" },
    {
      url: step.url,
      headers,
      description: workflow.name,
      event: {
        name: WEBHOOK_EVENT,
        data,
        subject: wireId("wfr", run.tag, run.id),
        tenant: run.tenant,
        chain: [...run.chain, run.event_id],
      },
    },
  );
  return { kind: "delivery", output: JSON.stringify({ delivery_id: wireId("dlv", run.tag, deliveryId) }), deliveryId };
}

/** Begins another module's step. A workflow with a live author sends no HTTP call from the sandbox; one written in the sandbox does. */
async function delegate(deps: WorkflowsDeps, tx: Tx, at: At, step: Of<ProvidedStepType>): Promise<StepResult> {
  const { run, workflow, facts } = at;
  if (step.type === "http" && isSimulated(at))
    return { kind: "done", output: JSON.stringify({ http_call_id: null, simulated: true }), next: step.next };
  const input = step.type === "http" ? fillHttpCall(step.call, facts) : filled(step.input, facts);
  const port = portOf(deps.ports(), step.type);
  if (port === undefined || !("begin" in port))
    return failed("This installation no longer supports this type of step.");
  const outcome = await port.begin(tx, {
    scope: scopeOfRun(run),
    runId: run.id,
    stepId: step.id,
    owner: { kind: "workflow", id: run.workflow_id, name: workflow.name, version: run.version },
    event: {
      id: run.event_id,
      name: run.event_name,
      data: run.data,
      occurredAt: fromDate(run.occurred_at),
      chain: run.chain,
    },
    tenant: run.tenant,
    contactId: run.contact_id,
    author: authorOfRow(workflow),
    input,
  });
  return outcome.kind === "waits" ? { kind: "waits", output: outcome.output ?? null } : resultOf(step, outcome);
}

/** Returns whether a run sends nothing outside. */
function isSimulated({ run, workflow }: At): boolean {
  return environmentOf(run.tag) === "sandbox" && workflow.author_environment === "live";
}

/** Converts the end of another module's step to a result. */
export function resultOf(step: Of<ProvidedStepType>, end: StepEnd): StepResult {
  if (end.kind === "done") return { kind: "done", output: end.output, next: step.next };
  const decided = step.type === "http" ? undefined : wayOfDecision(step, end.decision);
  // The step did its work: it has a decision, which its output shows.
  if (decided !== undefined) return { kind: "done", output: end.output ?? "null", next: decided };
  return { kind: "failed", error: end.error, output: end.output ?? null, next: step.onFailure };
}

function wayOfDecision(
  step: Of<"action" | "wait_approval">,
  decision: "rejected" | "expired" | undefined,
): string | null | undefined {
  if (decision === "rejected") return step.onRejected;
  return decision === "expired" ? step.onExpired : undefined;
}

function failed(error: string): StepResult {
  return { kind: "failed", error, output: null, next: undefined };
}
