import type { FastifyRequest } from "fastify";
import { RegenerateBody, RevealedWebhooks, SecretView } from "../../webhooks/deliveries/deliver.ts";
import { sendText } from "../../gate/gate.ts";
import { isEventName } from "../../events/events.ts";
import { ServiceError, Type, WireId } from "../../lib/lib.ts";
import { callerOf, owners, readers, writers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { RuleInput } from "./registry.ts";
import type { Rules } from "./rules.ts";
import * as shapes from "./rules.schemas.ts";
import type { TrialEvent } from "./trial.ts";

const RuleParams = Type.Object({ id: WireId("rule") });

export function ruleRoutes(app: App, rules: Rules): void {
  readRoutes(app, rules);
  writeRoutes(app, rules);
  secretRoutes(app, rules);
  insightRoutes(app, rules);
}

function readRoutes(app: App, rules: Rules): void {
  app.get(
    "/v1/rules",
    {
      config: { operation: "rules.list", callers: readers },
      schema: {
        operationId: "listRules",
        summary: "List rules",
        description: "Newest first, of both environments: a rule belongs to the workspace.",
        querystring: shapes.RuleListQuery,
        response: { 200: shapes.RuleListView },
      },
    },
    async (request, reply) => await sendText(reply, await rules.list(callerOf(request).scope, request.query)),
  );

  app.get(
    "/v1/rules/:id",
    {
      config: { operation: "rules.get", callers: readers },
      schema: {
        operationId: "getRule",
        summary: "Show a rule",
        description: "As it was written, with all digits of its numbers.",
        params: RuleParams,
        response: { 200: shapes.RuleView },
      },
    },
    async (request, reply) => await sendText(reply, await rules.get(callerOf(request).scope, request.params.id)),
  );
}

function writeRoutes(app: App, rules: Rules): void {
  app.post(
    "/v1/rules",
    {
      config: { operation: "rules.create", callers: writers, audit: "rule", errors: ["url_blocked"] },
      schema: {
        operationId: "createRule",
        summary: "Add a rule",
        description:
          "When one of these events happens and the condition holds, do this. The rule acts with the rights that its author has then. The answer has the `signing_secret` of its webhooks, this once.",
        body: shapes.RuleBody,
        response: { 201: shapes.RuleWithSecret },
      },
    },
    async (request, reply) =>
      await sendText(reply.code(201), await rules.create(callerOf(request), inputOf(request, request.body))),
  );

  app.patch(
    "/v1/rules/:id",
    {
      config: { operation: "rules.update", callers: writers, audit: "rule", errors: ["url_blocked"] },
      schema: {
        operationId: "updateRule",
        summary: "Change a rule",
        description: "Only the members that are sent change. Whoever changes a rule is its author from then on.",
        params: RuleParams,
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
      config: { operation: "rules.delete", callers: writers, audit: "rule" },
      schema: {
        operationId: "deleteRule",
        summary: "Delete a rule",
        description: "It stops at once; calls that it still had to make are not made.",
        params: RuleParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await rules.remove(callerOf(request), request.params.id);
      return await reply.code(204).send(null);
    },
  );
}

function secretRoutes(app: App, rules: Rules): void {
  app.get(
    "/v1/rules/:id/secret",
    {
      config: { operation: "rules.secret", callers: owners, audit: "rule" },
      schema: {
        operationId: "getRuleSecret",
        summary: "Show a rule's signing secret",
        description: "For owners only, and audited. While a regenerated secret overlaps, the one before is shown too.",
        params: RuleParams,
        response: { 200: SecretView },
      },
    },
    async (request) => await rules.reveal(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/rules/:id/headers",
    {
      config: { operation: "rules.headers", audit: "rule", callers: owners, errors: ["conflict"] },
      schema: {
        operationId: "revealRuleHeaders",
        summary: "Show the values of a rule's headers",
        description: "For owners only, and audited. Everywhere else they are `[redacted]`.",
        params: RuleParams,
        response: { 200: RevealedWebhooks },
      },
    },
    async (request) => await rules.revealHeaders(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/rules/:id/secret/regenerate",
    {
      config: { operation: "rules.secret.regenerate", callers: writers, audit: "rule" },
      schema: {
        operationId: "regenerateRuleSecret",
        summary: "Make a new signing secret for a rule",
        description:
          "With `overlap_seconds` both secrets sign for so long, so that receivers can change over without a failure.",
        params: RuleParams,
        body: RegenerateBody,
        response: { 200: shapes.RuleWithSecret },
      },
    },
    async (request, reply) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      return await sendText(reply, await rules.regenerate(callerOf(request).scope, request.params.id, overlapSeconds));
    },
  );
}

function insightRoutes(app: App, rules: Rules): void {
  app.post(
    "/v1/rules/:id/test",
    {
      config: { operation: "rules.test", callers: readers, access: "read" },
      schema: {
        operationId: "testRule",
        summary: "Try a rule",
        description: "What it would make of an event, given or past, leaf by leaf. Nothing is done.",
        params: RuleParams,
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
      config: { operation: "rules.runs", callers: readers },
      schema: {
        operationId: "listRuleRuns",
        summary: "List a rule's runs",
        description:
          "In the environment of the caller, the newest event first: what each leaf found, and what became of each action.",
        params: RuleParams,
        querystring: shapes.RunListQuery,
        response: { 200: shapes.RunListView },
      },
    },
    async (request, reply) =>
      await sendText(reply, await rules.runs(callerOf(request).scope, request.params.id, request.query)),
  );
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
