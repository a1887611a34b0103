import type { Tx } from "../db/db.ts";
import type { Posting } from "../deliver/deliver.ts";
import type { Events } from "../events/events.ts";
import { canonicalJson, environmentOf, sha256, wireId } from "../kernel/kernel.ts";
import type { Environment, IdMaker, Sealer, Uuid } from "../kernel/kernel.ts";
import type { Author, Scope } from "../workspaces/workspaces.ts";
import { holds } from "./condition.ts";
import type { Definition, PluggedType, Step } from "./definition.ts";
import type { Facts } from "./facts.ts";
import type { StepEnd, StepPort } from "./port.ts";
import { render } from "./render.ts";
import { claimEndpoint } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { Pinned } from "./workflows.store.ts";

/** What becomes of a step. `output` is JSON text. */
export type StepResult =
  | { readonly kind: "done"; readonly output: string; readonly next: string | null }
  /** Done once so many seconds have gone by. */
  | { readonly kind: "delay"; readonly output: string; readonly seconds: number }
  /** Done once the delivery has ended. */
  | { readonly kind: "delivery"; readonly output: string; readonly deliveryId: Uuid }
  /** Done once `resume` says so. */
  | { readonly kind: "waits"; readonly output: string | null }
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly output: string | null;
      readonly next: string | null | undefined;
    };

export interface StepDeps {
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly events: Pick<Events, "fireWithin">;
  readonly posting: Posting;
  readonly ports: readonly StepPort[];
}

/** Where a step is done. */
export interface At {
  readonly run: RunRow;
  readonly definition: Definition;
  readonly facts: Facts;
  readonly workflow: Pick<Pinned, "name" | "secret_sealed" | "author_environment" | "author_kind" | "author_id">;
}

/** The event that a webhook step's delivery carries. */
export const WEBHOOK_EVENT = "workflow.webhook";
const MAX_DATA_BYTES = 256 * 1024;

/** Begins a step in the transaction that records it. */
export async function beginStep(deps: StepDeps, tx: Tx, at: At, step: Step): Promise<StepResult> {
  switch (step.type) {
    case "condition": {
      const result = holds(step.when, at.facts);
      return { kind: "done", output: JSON.stringify({ result }), next: result ? step.ifSo : step.ifNot };
    }
    case "delay":
      return { kind: "delay", output: JSON.stringify({ seconds: step.seconds }), seconds: step.seconds };
    case "fire_event":
      return await fireEvent(deps, tx, at, step);
    case "webhook":
      return await post(deps, tx, at, step);
    default:
      return await plugged(deps, tx, at, step);
  }
}

/** Goes on with a step whose time, or whose delivery's end, has come. */
export function endStep(run: RunRow, step: Step, output: string): StepResult {
  if (step.type !== "webhook") return { kind: "done", output, next: step.next };
  const ended = JSON.stringify({ ...(JSON.parse(output) as object), state: run.outcome, status_code: run.status_code });
  if (run.outcome === "delivered") return { kind: "done", output: ended, next: step.next };
  const error = run.outcome === "cancelled" ? "The delivery was cancelled." : "The delivery failed for good.";
  return { kind: "failed", error, output: ended, next: step.onFailure };
}

export function secretPlace(workflowId: Uuid): string {
  return `workflow:${workflowId}`;
}

export function scopeOfRun({ workspace_id: workspaceId, bucket, tag }: RunRow): Scope {
  return { workspaceId, bucket, tag, environment: environmentOf(tag) };
}

/** What a step sends or fires: its own object filled in, or the trigger's data. */
export function dataOf(at: Pick<At, "definition" | "facts"> & { readonly data: string }, step: Step): string {
  const member = ownMember(step);
  return member === undefined ? at.data : render(at.definition.source, [...step.place, member], at.facts);
}

function ownMember(step: Step): string | undefined {
  if (step.type === "webhook") return step.hasBody ? "body" : undefined;
  return step.type === "fire_event" && step.hasData ? "data" : undefined;
}

type Of<Type extends Step["type"]> = Extract<Step, { type: Type }>;

async function fireEvent(deps: StepDeps, tx: Tx, at: At, step: Of<"fire_event">): Promise<StepResult> {
  const { run } = at;
  const data = dataOf({ ...at, data: run.data }, step);
  if (Buffer.byteLength(data) > MAX_DATA_BYTES) return tooLarge();
  const [fired] = await deps.events.fireWithin(tx, [
    {
      scope: scopeOfRun(run),
      event: step.event,
      data,
      subject: wireId("wfr", run.tag, run.id),
      chain: [...run.chain, run.event_id],
    },
  ]);
  return { kind: "done", output: JSON.stringify({ event_id: fired?.id ?? null }), next: step.next };
}

/** What both environments share reaches nothing outside from the sandbox; what was written in the sandbox does. */
async function post(deps: StepDeps, tx: Tx, at: At, step: Of<"webhook">): Promise<StepResult> {
  const { run, workflow } = at;
  if (environmentOf(run.tag) === "sandbox" && workflow.author_environment === "live") {
    return { kind: "done", output: JSON.stringify({ delivery_id: null, simulated: true }), next: step.next };
  }
  const data = dataOf({ ...at, data: run.data }, step);
  if (Buffer.byteLength(data) > MAX_DATA_BYTES) return tooLarge();
  const deliveryId = await deps.posting.post(tx, scopeOfRun(run), {
    endpointId: await endpointOf(deps, tx, at, step),
    event: WEBHOOK_EVENT,
    data,
    subject: wireId("wfr", run.tag, run.id),
    chain: [...run.chain, run.event_id],
  });
  return { kind: "delivery", output: JSON.stringify({ delivery_id: wireId("dlv", run.tag, deliveryId) }), deliveryId };
}

/** One for each URL with its headers, so that health, slots and order of sending are the receiver's own. */
async function endpointOf(deps: StepDeps, tx: Tx, { run, workflow }: At, step: Of<"webhook">): Promise<Uuid> {
  const { bucket, tag, workflow_id: workflowId } = run;
  const { url, headers } = step;
  const proposed = deps.ids.uuid();
  const fingerprint = sha256(canonicalJson({ url, headers }));
  const id = await claimEndpoint(tx, { bucket, tag, workflowId, fingerprint, proposed });
  if (id === proposed) {
    const secret = deps.sealer.open(workflow.secret_sealed, secretPlace(workflowId));
    await deps.posting.open(tx, scopeOfRun(run), {
      id,
      owner: "workflow",
      description: workflow.name,
      url,
      headers,
      secret,
    });
  }
  return id;
}

async function plugged(deps: StepDeps, tx: Tx, at: At, step: Of<PluggedType>): Promise<StepResult> {
  const { run, workflow } = at;
  const port = deps.ports.find(({ type }) => type === step.type);
  if (port === undefined) return failed("This installation does not do such steps any more.");
  const input = inputOf(at, step);
  if (Buffer.byteLength(input) > MAX_DATA_BYTES) return tooLarge();
  const outcome = await port.begin(tx, {
    scope: scopeOfRun(run),
    runId: run.id,
    stepId: step.id,
    workflowId: run.workflow_id,
    author: authorOfWorkflow(workflow),
    authorEnvironment: workflow.author_environment as Environment,
    input,
    chain: [...run.chain, run.event_id],
  });
  return outcome.kind === "waits" ? { kind: "waits", output: outcome.output ?? null } : resultOf(step, outcome);
}

/** Whatever becomes of another module's step. */
export function resultOf(step: Of<PluggedType>, end: StepEnd): StepResult {
  if (end.kind === "done") return { kind: "done", output: end.output, next: step.next };
  return { kind: "failed", error: end.error, output: end.output ?? null, next: undefined };
}

export function authorOfWorkflow(workflow: Pick<Pinned, "author_kind" | "author_id">): Author {
  return { kind: workflow.author_kind as Author["kind"], id: workflow.author_id };
}

/** What another module's step is about: its own members, filled in. */
export function inputOf({ definition, facts }: Pick<At, "definition" | "facts">, step: Of<PluggedType>): string {
  return objectOf(step.members, (name) => render(definition.source, [...step.place, name], facts));
}

/** The same as it was written. */
export function rawInputOf({ source }: Definition, step: Of<PluggedType>): string {
  return objectOf(step.members, (name) => source.slice([...step.place, name]) ?? "null");
}

function objectOf(names: readonly string[], textOf: (name: string) => string): string {
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(name)}`).join(",")}}`;
}

function tooLarge(): StepResult {
  return failed("The data is larger than 256 KiB.");
}

function failed(error: string): StepResult {
  return { kind: "failed", error, output: null, next: undefined };
}
