import { memberText, sendText } from "../access/access.ts";
import { callerOf, readers, route, writers } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import { ProposalView } from "../actions/actions.ts";
import type { FastifyRequest } from "fastify";
import type { GivenText } from "./application.ts";
import type { Configuration } from "./configuration.ts";
import * as shapes from "./configuration.schemas.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Mounts the routes of configuration as code. */
export function configurationRoutes(app: App, configuration: Configuration): void {
  readRoute(app, configuration);
  driftRoute(app, configuration);
  planRoutes(app, configuration);
}

function readRoute(app: App, configuration: Configuration): void {
  route(app, "GET /v1/configuration", {
    config: { operation: "configuration.get", callers: readers },
    operationId: "getConfiguration",
    summary: "Export the configuration",
    description:
      "Returns what configures the environment as one file, by names instead of ids: without secrets, values of headers, members, keys, connectors and objects of tenants. Members with their defaults are left out. The same configuration has the same bytes and the same `ETag`. Sections that the caller may not read are left out.",
    response: { 200: shapes.ConfigurationBody },
    handler: async (request, reply) => {
      const { text, etag } = await configuration.read(callerOf(request));
      return await sendText(reply.header("ETag", etag), text);
    },
  });
}

function driftRoute(app: App, configuration: Configuration): void {
  route(app, "POST /v1/configuration/drift", {
    config: { operation: "configuration.drift", access: "read", callers: readers },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "compareConfiguration",
    summary: "Compare the configuration",
    description: "Returns how the workspace differs from a configuration, and changes nothing.",
    body: shapes.DriftBody,
    response: { 200: shapes.DriftView },
    handler: async (request, reply) =>
      await sendText(reply, await configuration.drift(callerOf(request), givenIn(request))),
  });
}

function planRoutes(app: App, configuration: Configuration): void {
  route(app, "POST /v1/configuration/plans", {
    config: {
      operation: "configuration.plan",
      callers: writers,
      errors: ["schema_incompatible", "step_up_required", "surface_not_allowed"],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "planConfiguration",
    summary: "Plan a change of the configuration",
    description:
      "Returns the changes that would turn the workspace into the configuration. They are tried out, and refused as a whole with all places that are wrong, or that the caller could not change by hand. The plan can be applied for an hour.",
    body: shapes.PlanBody,
    response: { 201: shapes.PlanView },
    handler: async (request, reply) =>
      await sendText(reply, await configuration.plan(callerOf(request), givenIn(request))),
  });

  route(app, "POST /v1/configuration/plans/:id/apply", {
    config: {
      operation: "configuration.apply",
      callers: writers,
      errors: ["plan_stale", "step_up_required", "surface_not_allowed"],
    },
    operationId: "applyConfiguration",
    summary: "Apply a plan",
    description:
      "Makes all changes of the plan in one transaction, with the caller's rights of the moment. Ids, secrets and logs of changed objects stay. If an object that the plan concerns was changed since, nothing is changed. A plan that was applied before returns the first response. Status 202: the workspace requires an approval (`require_approval_for_configuration`), and this is the proposal. Once another person has approved it, the plan is applied.",
    params: shapes.PlanParams,
    response: { 200: shapes.ApplicationView, 202: ProposalView },
    handler: async (request, reply) => {
      const { status, text } = await configuration.apply(callerOf(request), request.params.id);
      return await sendText(reply.code(status), text);
    },
  });
}

interface Comparing extends Pick<FastifyRequest, "scanned"> {
  body: { readonly prune?: boolean };
}

function givenIn(request: Comparing): GivenText {
  return { configuration: memberText(request, "configuration") ?? "{}", prune: request.body.prune ?? false };
}
