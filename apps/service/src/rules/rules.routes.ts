import type { FastifyReply, FastifyRequest } from "fastify";
import { isEventName } from "../events/events.ts";
import { ServiceError, Type } from "../kernel/kernel.ts";
import { callerOf } from "../workspaces/workspaces.ts";
import type { App } from "../workspaces/workspaces.ts";
import type { RuleInput } from "./registry.ts";
import type { Rules } from "./rules.ts";
import * as shapes from "./rules.schemas.ts";
import type { TrialEvent } from "./trial.ts";

const IdParams = Type.Object({ id: Type.String() });

export function ruleRoutes(app: App, rules: Rules): void {
  readRoutes(app, rules);
  writeRoutes(app, rules);
  insightRoutes(app, rules);
}

function readRoutes(app: App, rules: Rules): void {
  app.get(
    "/v1/rules",
    {
      config: { operation: "rules.list" },
      schema: { operationId: "listRules", querystring: shapes.RuleListQuery, response: { 200: shapes.RuleListView } },
    },
    async (request, reply) => await sendText(reply, await rules.list(callerOf(request).scope, request.query)),
  );

  app.get(
    "/v1/rules/:id",
    {
      config: { operation: "rules.get" },
      schema: { operationId: "getRule", params: IdParams, response: { 200: shapes.RuleView } },
    },
    async (request, reply) => await sendText(reply, await rules.get(callerOf(request).scope, request.params.id)),
  );
}

function writeRoutes(app: App, rules: Rules): void {
  app.post(
    "/v1/rules",
    {
      config: { operation: "rules.create" },
      schema: {
        operationId: "createRule",
        summary: "When one of these events happens and the condition holds, do this",
        body: shapes.RuleBody,
        response: { 201: shapes.RuleView },
      },
    },
    async (request, reply) =>
      await sendText(reply.code(201), await rules.create(callerOf(request), inputOf(request, request.body))),
  );

  app.patch(
    "/v1/rules/:id",
    {
      config: { operation: "rules.update" },
      schema: {
        operationId: "updateRule",
        params: IdParams,
        body: shapes.RulePatch,
        response: { 200: shapes.RuleView },
      },
    },
    async (request, reply) =>
      await sendText(reply, await rules.change(callerOf(request), request.params.id, inputOf(request, request.body))),
  );

  app.delete(
    "/v1/rules/:id",
    {
      config: { operation: "rules.delete" },
      schema: { operationId: "deleteRule", params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await rules.remove(callerOf(request), request.params.id);
      return await reply.code(204).send(null);
    },
  );
}

function insightRoutes(app: App, rules: Rules): void {
  app.post(
    "/v1/rules/:id/test",
    {
      config: { operation: "rules.test", access: "read" },
      schema: {
        operationId: "testRule",
        summary: "What the rule would make of an event, leaf by leaf; does nothing",
        params: IdParams,
        body: shapes.TestBody,
        response: { 200: shapes.TestView },
      },
    },
    async (request, reply) => {
      const event = trialOf(request, request.body);
      return await sendText(reply, await rules.test(callerOf(request).scope, request.params.id, event));
    },
  );

  app.get(
    "/v1/rules/:id/runs",
    {
      config: { operation: "rules.runs" },
      schema: {
        operationId: "listRuleRuns",
        params: IdParams,
        querystring: shapes.RunListQuery,
        response: { 200: shapes.RunListView },
      },
    },
    async (request, reply) =>
      await sendText(reply, await rules.runs(callerOf(request).scope, request.params.id, request.query)),
  );
}

/** JSON that is text already: its numbers have more digits than a number has. */
async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type("application/json; charset=utf-8").send(text);
}

/** The trees as they were written. */
function inputOf(
  request: FastifyRequest,
  { when: _when, then: _then, ...rest }: Omit<RuleInput, "condition" | "actions"> & { when?: object; then?: object },
): RuleInput {
  return { ...rest, condition: request.scanned?.slice(["when"]), actions: request.scanned?.slice(["then"]) };
}

function trialOf(
  request: FastifyRequest,
  body: { readonly event?: string; readonly event_id?: string },
): TrialEvent | { readonly event_id: string } {
  const { event, event_id: eventId } = body;
  if ((event === undefined) === (eventId === undefined))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "", code: "one_of", message: "must have exactly one of event and event_id" }],
    });
  if (eventId !== undefined) return { event_id: eventId };
  if (event === undefined || !isEventName(event))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/event", code: "event_name", message: "must be an event name such as order.created" }],
    });
  return { event, data: request.scanned?.slice(["data"]) ?? "{}" };
}
