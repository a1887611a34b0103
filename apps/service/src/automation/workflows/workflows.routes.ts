import type { FastifyRequest } from "fastify";
import { RegenerateBody, RevealedWebhooks, SecretView } from "../../webhooks/deliveries/deliver.ts";
import { sendText } from "../../gate/gate.ts";
import { pageText, Type, WireId } from "../../lib/lib.ts";
import { authorOf, callerOf, operators, owners, readers, writers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Workflows } from "./workflows.ts";
import * as shapes from "./workflows.schemas.ts";

const WorkflowParams = Type.Object({ id: WireId("wf") });
const RunParams = Type.Object({ id: WireId("wfr") });

export function workflowRoutes(app: App, workflows: Workflows): void {
  definitionRoutes(app, workflows);
  changeRoutes(app, workflows);
  secretRoutes(app, workflows);
  runRoutes(app, workflows);
}

function definitionRoutes(app: App, { definitions }: Workflows): void {
  app.post(
    "/v1/workflows",
    {
      config: { operation: "workflows.create", callers: writers, audit: "workflow", errors: ["url_blocked"] },
      schema: {
        operationId: "createWorkflow",
        summary: "Add a workflow",
        description:
          "Steps that an event starts: conditions, webhooks, actions, delays, approvals and events. The answer shows the `signing_secret` of its webhooks, this once.",
        body: shapes.WorkflowBody,
        response: { 201: shapes.WorkflowWithSecret },
      },
    },
    async (request, reply) => {
      const { name, enabled } = request.body;
      const { scope, key } = callerOf(request);
      const given = {
        name,
        enabled,
        trigger: textOf(request, "trigger") ?? "{}",
        steps: textOf(request, "steps") ?? "[]",
      };
      return await sendText(reply.code(201), await definitions.create(scope, authorOf(key), given));
    },
  );

  app.get(
    "/v1/workflows",
    {
      config: { operation: "workflows.list", callers: readers },
      schema: {
        operationId: "listWorkflows",
        summary: "List workflows",
        description: "Newest first, of both environments: a workflow belongs to the workspace.",
        querystring: shapes.WorkflowListQuery,
        response: { 200: shapes.WorkflowListView },
      },
    },
    async (request, reply) =>
      await sendText(reply, pageText(await definitions.list(callerOf(request).scope, request.query))),
  );

  app.get(
    "/v1/workflows/:id",
    {
      config: { operation: "workflows.get", callers: readers },
      schema: {
        operationId: "getWorkflow",
        summary: "Show a workflow",
        description: "As it was written, with all digits of its numbers.",
        params: WorkflowParams,
        response: { 200: shapes.WorkflowView },
      },
    },
    async (request, reply) => await sendText(reply, await definitions.get(callerOf(request).scope, request.params.id)),
  );
}

function changeRoutes(app: App, { definitions }: Workflows): void {
  app.patch(
    "/v1/workflows/:id",
    {
      config: { operation: "workflows.update", callers: writers, audit: "workflow", errors: ["url_blocked"] },
      schema: {
        operationId: "updateWorkflow",
        summary: "Change a workflow",
        description:
          "Only the members that are sent change. Another trigger or other steps are another version; runs under way keep theirs.",
        params: WorkflowParams,
        body: shapes.WorkflowPatch,
        response: { 200: shapes.WorkflowView },
      },
    },
    async (request, reply) => {
      const { name, enabled } = request.body;
      const { scope, key } = callerOf(request);
      const given = { name, enabled, trigger: textOf(request, "trigger"), steps: textOf(request, "steps") };
      return await sendText(reply, await definitions.change(scope, authorOf(key), request.params.id, given));
    },
  );

  app.delete(
    "/v1/workflows/:id",
    {
      config: { operation: "workflows.delete", callers: writers, audit: "workflow" },
      schema: {
        operationId: "deleteWorkflow",
        summary: "Delete a workflow",
        description: "It starts no more runs; those under way go on to their end.",
        params: WorkflowParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await definitions.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/workflows/:id/test",
    {
      config: { operation: "workflows.test", callers: readers, access: "read" },
      schema: {
        operationId: "testWorkflow",
        summary: "Try a workflow",
        description: "Which steps an event would run, if every delivery succeeded. Writes and sends nothing.",
        params: WorkflowParams,
        body: shapes.TestBody,
        response: { 200: shapes.TestView },
      },
    },
    async (request, reply) => {
      const event = { event: request.body.event, data: textOf(request, "data") ?? "{}" };
      return await sendText(reply, await definitions.test(callerOf(request).scope, request.params.id, event));
    },
  );
}

function secretRoutes(app: App, { definitions }: Workflows): void {
  app.get(
    "/v1/workflows/:id/secret",
    {
      config: { operation: "workflows.secret", callers: owners, audit: "workflow" },
      schema: {
        operationId: "getWorkflowSecret",
        summary: "Show a workflow's signing secret",
        description: "For owners only, and audited. While a regenerated secret overlaps, the one before is shown too.",
        params: WorkflowParams,
        response: { 200: SecretView },
      },
    },
    async (request) => await definitions.reveal(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/workflows/:id/headers",
    {
      config: { operation: "workflows.headers", audit: "workflow", callers: owners, errors: ["conflict"] },
      schema: {
        operationId: "revealWorkflowHeaders",
        summary: "Show the values of a workflow's headers",
        description: "For owners only, and audited. Everywhere else they are `[redacted]`.",
        params: WorkflowParams,
        response: { 200: RevealedWebhooks },
      },
    },
    async (request) => await definitions.revealHeaders(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/workflows/:id/secret/regenerate",
    {
      config: { operation: "workflows.secret.regenerate", callers: writers, audit: "workflow" },
      schema: {
        operationId: "regenerateWorkflowSecret",
        summary: "Make a new signing secret for a workflow",
        description:
          "With `overlap_seconds` both secrets sign for so long, so that receivers can change over without a failure.",
        params: WorkflowParams,
        body: RegenerateBody,
        response: { 200: shapes.WorkflowWithSecret },
      },
    },
    async (request, reply) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      return await sendText(
        reply,
        await definitions.regenerate(callerOf(request).scope, request.params.id, overlapSeconds),
      );
    },
  );
}

function runRoutes(app: App, { runs }: Workflows): void {
  app.get(
    "/v1/workflows/:id/runs",
    {
      config: { operation: "workflows.runs.list", callers: readers },
      schema: {
        operationId: "listWorkflowRuns",
        summary: "List a workflow's runs",
        description: "Newest first, of this environment.",
        params: WorkflowParams,
        querystring: shapes.RunListQuery,
        response: { 200: shapes.RunListView },
      },
    },
    async (request, reply) => {
      const page = await runs.list(callerOf(request).scope, request.params.id, request.query);
      return await sendText(reply, pageText({ ...page, data: page.data.map((run) => JSON.stringify(run)) }));
    },
  );

  app.get(
    "/v1/workflows/runs/:id",
    {
      config: { operation: "workflows.runs.get", callers: readers },
      schema: {
        operationId: "getWorkflowRun",
        summary: "Show a run",
        description: "Each step with its state, times, output and error.",
        params: RunParams,
        response: { 200: shapes.RunView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.get(callerOf(request).scope, request.params.id)),
  );

  app.post(
    "/v1/workflows/runs/:id/cancel",
    {
      config: {
        errors: ["conflict"],
        operation: "workflows.runs.cancel",
        callers: operators,
      },
      schema: {
        operationId: "cancelWorkflowRun",
        summary: "Cancel a run",
        description: "Ends a run that is under way, and the delivery that it waits for.",
        params: RunParams,
        response: { 200: shapes.RunView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.cancel(callerOf(request).scope, request.params.id)),
  );
}

/** The source text of a member of the body: a number must not lose digits on its way. */
function textOf(request: Pick<FastifyRequest, "scanned">, name: string): string | undefined {
  return request.scanned?.slice([name]);
}
