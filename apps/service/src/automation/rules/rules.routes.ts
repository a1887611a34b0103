import type { FastifyRequest } from "fastify";
import { sendText } from "../../access/access.ts";
import { isEventName } from "../../events/events.ts";
import { pageText, ServiceError, t } from "../../lib/lib.ts";
import { callerOf, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { TrialEvent } from "../definitions/definition.ts";
import { definitionRoutes } from "../definitions/definition.routes.ts";
import type { RuleInput } from "./rule-checks.ts";
import type { Rules } from "./rules.ts";
import * as shapes from "./rules.schemas.ts";

const RuleParams = t.Object({ id: t.WireId("rule") });

export function ruleRoutes(app: App, rules: Rules): void {
  readRoutes(app, rules);
  writeRoutes(app, rules);
  definitionRoutes(app, rules, {
    what: "rule",
    prefix: "rule",
    references:
      "The contracts, secrets and workflows that the rule names must exist in live. A workflow of the sandbox is replaced by the one that it was promoted to.",
    withSecret: shapes.RuleWithSecret,
  });
  insightRoutes(app, rules);
}

function readRoutes(app: App, rules: Rules): void {
  route(app, "GET /v1/rules", {
    config: { operation: "rules.list", callers: readers },
    operationId: "listRules",
    summary: "List rules",
    description: "Newest first, in both environments.",
    querystring: shapes.RuleListQuery,
    response: { 200: shapes.RuleListView },
    handler: async (request, reply) =>
      await sendText(reply, pageText(await rules.list(callerOf(request).scope, request.query))),
  });

  route(app, "GET /v1/rules/:id", {
    config: { operation: "rules.get", callers: readers },
    operationId: "getRule",
    summary: "Show a rule",
    description: "Returns the definition as it was written, with all digits of its numbers.",
    params: RuleParams,
    response: { 200: shapes.RuleView },
    handler: async (request, reply) =>
      await sendText(reply, await rules.get(callerOf(request).scope, request.params.id)),
  });
}

function writeRoutes(app: App, rules: Rules): void {
  route(app, "POST /v1/rules", {
    config: { operation: "rules.create", callers: writers, audit: "rule", errors: ["url_blocked"] },
    operationId: "createRule",
    summary: "Create a rule",
    description:
      "A rule runs its actions when one of its events happens and its condition holds. It acts with the rights that its author has at that moment. The response contains the `signing_secret` of its webhooks, which is shown only once.",
    body: shapes.RuleBody,
    response: { 201: shapes.RuleWithSecret },
    handler: async (request, reply) =>
      await sendText(reply, await rules.create(callerOf(request), inputOf(request, request.body))),
  });

  route(app, "PATCH /v1/rules/:id", {
    config: { operation: "rules.update", callers: writers, audit: "rule", errors: ["url_blocked"] },
    operationId: "updateRule",
    summary: "Change a rule",
    description:
      "Only the members in the request change. The caller becomes the rule's author, and must use a credential of the rule's environment.",
    params: RuleParams,
    body: shapes.RulePatch,
    response: { 200: shapes.RuleView },
    handler: async (request, reply) =>
      await sendText(reply, await rules.change(callerOf(request), request.params.id, inputOf(request, request.body))),
  });

  route(app, "DELETE /v1/rules/:id", {
    config: { operation: "rules.delete", callers: writers, audit: "rule" },
    operationId: "deleteRule",
    summary: "Delete a rule",
    description: "The rule stops at once. Calls that it has not yet made are cancelled.",
    params: RuleParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await rules.remove(callerOf(request), request.params.id);
    },
  });
}

function insightRoutes(app: App, rules: Rules): void {
  route(app, "POST /v1/rules/:id/test", {
    config: { operation: "rules.test", callers: readers, access: "read" },
    operationId: "testRule",
    summary: "Test a rule",
    description:
      "Returns the result that the rule would have for a given or past event, with each leaf. Nothing is run.",
    params: RuleParams,
    body: shapes.TestBody,
    response: { 200: shapes.TestView },
    handler: async (request, reply) => {
      const event = trialOf(request, request.body);
      return await sendText(reply, await rules.test(callerOf(request).scope, request.params.id, event));
    },
  });

  route(app, "GET /v1/rules/:id/runs", {
    config: { operation: "rules.runs", callers: readers },
    operationId: "listRuleRuns",
    summary: "List a rule's runs",
    description:
      "Returns the runs in the caller's environment, newest event first, with the result of each leaf and each action.",
    params: RuleParams,
    querystring: shapes.RunListQuery,
    response: { 200: shapes.RunListView },
    handler: async (request, reply) =>
      await sendText(reply, await rules.runs(callerOf(request).scope, request.params.id, request.query)),
  });
}

/** Takes `when` and `then` from the body as they were written. */
function inputOf(
  request: FastifyRequest,
  { when: _when, then: _then, ...rest }: Omit<RuleInput, "condition" | "actions"> & { when?: object; then?: object },
): RuleInput {
  return { ...rest, condition: request.scanned?.slice(["when"]), actions: request.scanned?.slice(["then"]) };
}

function trialOf(
  request: FastifyRequest,
  body: { readonly event?: string; readonly event_id?: string; readonly tenant?: string },
): TrialEvent | { readonly event_id: string } {
  const { event, event_id: eventId, tenant } = body;
  if ((event === undefined) === (eventId === undefined))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "", code: "one_of", message: "must have exactly one of event and event_id" }],
    });
  if (eventId !== undefined) return { event_id: eventId };
  if (event === undefined || !isEventName(event))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/event", code: "event_name", message: "must be an event name such as order.created" }],
    });
  return { event, data: request.scanned?.slice(["data"]) ?? "{}", tenant: tenant ?? null };
}
