import { shownDocument } from "../../webhooks/webhooks.ts";
import { actsIn, fromDate, tagOf, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { promotedFrom } from "../definitions/promotion.ts";
import type { RunRow, StepRow } from "./runs.store.ts";
import { WORKFLOW_WEBHOOKS } from "./workflow-headers.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/** The workflows of both environments have the live tenant id. */
export function workflowWireId(scope: Pick<Scope, "tag">, id: Uuid): Id {
  return wireId("wf", tagOf(scope.tag, "live"), id);
}

/** Returns a workflow as JSON text. Its definition keeps its spelling, except for the values of headers. `secret` is only in the response that creates it. */
export function workflowText(scope: Scope, row: WorkflowRow, secret?: string): string {
  const live = { ...scope, tag: tagOf(scope.tag, "live") };
  const head = {
    id: workflowWireId(scope, row.id),
    object: "workflow",
    name: row.name,
    enabled: row.enabled,
    max_runs_per_minute: row.max_runs_per_minute,
    version: row.version,
    author_environment: row.author_environment,
    ...(secret === undefined ? {} : { signing_secret: secret }),
    scope_kind: "workspace",
    scope_key: scopeFields(live).scope_key,
    environment: row.author_environment,
    acts_in: actsIn(row),
    promotes_to: row.promotes_to === null ? null : workflowWireId(scope, row.promotes_to),
    promoted_from: promotedFrom(row, (id) => workflowWireId(scope, id)),
    created_at: toRfc3339(fromDate(row.created_at)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
  return `${JSON.stringify(head).slice(0, -1)},"trigger":${row.trigger},"steps":${shownDocument(WORKFLOW_WEBHOOKS, row.steps)}}`;
}

export function runView(scope: Scope, row: RunRow): object {
  return {
    id: wireId("wfr", row.tag, row.id),
    object: "workflow_run",
    workflow_id: workflowWireId(row, row.workflow_id),
    workflow_version: row.version,
    event: row.event_name,
    event_id: wireId("evt", row.tag, row.event_id),
    started_by: row.started_by,
    parent: parentView(row),
    state: row.state,
    step: row.state === "completed" ? null : row.step,
    error: row.error,
    // For a running run, and for one that a worker has claimed, `due_at` is the end of the lease.
    continues_at: row.state === "waiting" && row.lease_id === null ? time(row.due_at) : null,
    ended_at: time(row.ended_at),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

function parentView({ tag, parent_id: id, child_index: index }: RunRow): object | null {
  return id === null ? null : { run_id: wireId("wfr", tag, id), index };
}

/** The steps of a run, and the first runs of its branches and items. */
export interface RunParts {
  readonly steps: readonly StepRow[];
  readonly children: readonly RunRow[];
}

/** Returns a run with its steps as JSON text. Outputs keep their spelling. */
export function runText(scope: Scope, row: RunRow, { steps, children }: RunParts): string {
  const head = JSON.stringify(runView(scope, row));
  const members = [
    `"input":${row.input ?? "null"}`,
    `"item":${row.item === null ? "null" : `{"value":${row.item}}`}`,
    `"steps":[${steps.map(stepText).join(",")}]`,
    `"children":${JSON.stringify(children.map((child) => childView(child, steps)))}`,
  ];
  return `${head.slice(0, -1)},${members.join(",")}}`;
}

function childView(row: RunRow, steps: readonly StepRow[]): object {
  return {
    id: wireId("wfr", row.tag, row.id),
    parent_step: steps.find(({ position }) => position === row.parent_position)?.step_id ?? null,
    index: row.child_index,
    state: row.state,
    step: row.state === "completed" ? null : row.step,
    error: row.error,
    ended_at: time(row.ended_at),
  };
}

function stepText(row: StepRow): string {
  const head = {
    id: row.step_id,
    type: row.type,
    state: row.state,
    error: row.error,
    started_at: time(row.started_at),
    ended_at: time(row.ended_at),
  };
  return `${JSON.stringify(head).slice(0, -1)},"output":${row.output ?? "null"}}`;
}

function time(date: Date | null): string | null {
  return date === null ? null : toRfc3339(fromDate(date));
}
