import { memberText, sendText } from "../../access/access.ts";
import { pageText, t } from "../../lib/lib.ts";
import { callerOf, operators, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { definitionRoutes } from "../definitions/definition.routes.ts";
import { ScheduleView } from "../schedules/schedules.schemas.ts";
import type { Workflows } from "./workflows.ts";
import * as shapes from "./workflows.schemas.ts";

const WorkflowParams = t.Object({ id: t.WireId("wf") });
const RunParams = t.Object({ id: t.WireId("wfr") });

export function workflowRoutes(app: App, workflows: Workflows): void {
  readRoutes(app, workflows);
  changeRoutes(app, workflows);
  definitionRoutes(app, workflows.definitions, {
    what: "workflow",
    prefix: "wf",
    references: "The contracts and secrets that its steps name must exist in live.",
    withSecret: shapes.WorkflowWithSecret,
  });
  runRoutes(app, workflows);
}

function readRoutes(app: App, { definitions }: Workflows): void {
  route(app, "POST /v1/workflows", {
    config: { operation: "workflows.create", callers: writers, audit: "workflow", errors: ["url_blocked"] },
    operationId: "createWorkflow",
    summary: "Create a workflow",
    description:
      "A workflow runs steps when its event happens: conditions, webhooks, actions, delays, approvals and events. The response contains the `signing_secret` of its webhooks, which is shown only once.",
    body: shapes.WorkflowBody,
    response: { 201: shapes.WorkflowWithSecret },
    handler: async (request, reply) => {
      const { name, enabled, max_runs_per_minute } = request.body;
      const given = {
        name,
        enabled,
        max_runs_per_minute,
        trigger: memberText(request, "trigger") ?? "{}",
        steps: memberText(request, "steps") ?? "[]",
      };
      return await sendText(reply, await definitions.create(callerOf(request), given));
    },
  });

  route(app, "GET /v1/workflows", {
    config: { operation: "workflows.list", callers: readers },
    operationId: "listWorkflows",
    summary: "List workflows",
    description: "Newest first, in both environments.",
    querystring: shapes.WorkflowListQuery,
    response: { 200: shapes.WorkflowListView },
    handler: async (request, reply) =>
      await sendText(reply, pageText(await definitions.list(callerOf(request).scope, request.query))),
  });

  route(app, "GET /v1/workflows/:id", {
    config: { operation: "workflows.get", callers: readers },
    operationId: "getWorkflow",
    summary: "Show a workflow",
    description: "Returns the definition as it was written, with all digits of its numbers.",
    params: WorkflowParams,
    response: { 200: shapes.WorkflowView },
    handler: async (request, reply) =>
      await sendText(reply, await definitions.get(callerOf(request).scope, request.params.id)),
  });

  route(app, "GET /v1/workflows/:id/schedule", {
    config: { operation: "workflows.schedule", callers: readers },
    operationId: "getWorkflowSchedule",
    summary: "Show a workflow's schedule",
    description:
      "Returns the next five occurrences, the last one that was fired, and the ones that the last outage prevented. Only workflows with a schedule have this resource.",
    params: WorkflowParams,
    response: { 200: ScheduleView },
    handler: async (request) => await definitions.schedule(callerOf(request).scope, request.params.id),
  });
}

function changeRoutes(app: App, { definitions }: Workflows): void {
  route(app, "PATCH /v1/workflows/:id", {
    config: { operation: "workflows.update", callers: writers, audit: "workflow", errors: ["url_blocked"] },
    operationId: "updateWorkflow",
    summary: "Change a workflow",
    description:
      "Only the members in the request change. A change of the trigger or the steps creates a new version. Current runs keep their version. The caller must use a credential of the workflow's environment.",
    params: WorkflowParams,
    body: shapes.WorkflowPatch,
    response: { 200: shapes.WorkflowView },
    handler: async (request, reply) => {
      const { name, enabled, max_runs_per_minute } = request.body;
      const given = {
        name,
        enabled,
        max_runs_per_minute,
        trigger: memberText(request, "trigger"),
        steps: memberText(request, "steps"),
      };
      return await sendText(reply, await definitions.change(callerOf(request), request.params.id, given));
    },
  });

  route(app, "DELETE /v1/workflows/:id", {
    config: { operation: "workflows.delete", callers: writers, audit: "workflow" },
    operationId: "deleteWorkflow",
    summary: "Delete a workflow",
    description:
      "The workflow starts no more runs, and its current runs are cancelled, with what they wait for. A step that is under way ends first.",
    params: WorkflowParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await definitions.remove(callerOf(request), request.params.id);
    },
  });

  route(app, "POST /v1/workflows/:id/test", {
    config: { operation: "workflows.test", callers: readers, access: "read" },
    operationId: "testWorkflow",
    summary: "Test a workflow",
    description: "Returns the steps that an event would run if every delivery succeeded. Nothing is written or sent.",
    params: WorkflowParams,
    body: shapes.TestBody,
    response: { 200: shapes.TestView },
    handler: async (request, reply) => {
      const { event: name, tenant = null } = request.body;
      const event = { event: name, data: memberText(request, "data") ?? "{}", tenant };
      return await sendText(reply, await definitions.test(callerOf(request).scope, request.params.id, event));
    },
  });
}

function runRoutes(app: App, { runs }: Workflows): void {
  route(app, "GET /v1/workflows/:id/runs", {
    config: { operation: "workflows.runs.list", callers: readers },
    operationId: "listWorkflowRuns",
    summary: "List a workflow's runs",
    description:
      "Newest first, in the caller's environment, without branches and items. With `parent_run_id`, the branches and items that this run started, in their order.",
    params: WorkflowParams,
    querystring: shapes.RunListQuery,
    response: { 200: shapes.RunListView },
    handler: async (request, reply) => {
      const page = await runs.list(callerOf(request).scope, request.params.id, request.query);
      return await sendText(reply, pageText(page));
    },
  });

  route(app, "GET /v1/workflows/runs/:id", {
    config: { operation: "workflows.runs.get", callers: readers },
    operationId: "getWorkflowRun",
    summary: "Show a workflow run",
    description: "Returns each step with its state, times, output and error, and the first branches and items.",
    params: RunParams,
    response: { 200: shapes.RunView },
    handler: async (request, reply) =>
      await sendText(reply, await runs.get(callerOf(request).scope, request.params.id)),
  });

  route(app, "POST /v1/workflows/runs/:id/cancel", {
    config: {
      errors: ["conflict"],
      operation: "workflows.runs.cancel",
      callers: operators,
    },
    operationId: "cancelWorkflowRun",
    summary: "Cancel a workflow run",
    description: "Ends a current run with its branches and items, and the deliveries that they wait for.",
    params: RunParams,
    response: { 200: shapes.RunView },
    handler: async (request, reply) =>
      await sendText(reply, await runs.cancel(callerOf(request).scope, request.params.id)),
  });
}
