import { callerOf, operators, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import type { LaneChoice, LaneOperations } from "./lane-operations.ts";
import * as shapes from "./lanes.schemas.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });

export function laneRoutes(app: App, lanes: LaneOperations): void {
  route(app, "GET /v1/webhook-endpoints/:id/lanes", {
    config: { operation: "webhook_endpoints.lanes", tenants: true, callers: readers },
    operationId: "listWebhookEndpointLanes",
    summary: "List the lanes of an ordered endpoint",
    description:
      "A lane is the deliveries of an endpoint with the same ordering key. The list has the lanes that hold deliveries, by their keys.",
    params: EndpointParams,
    querystring: shapes.LaneListQuery,
    response: { 200: shapes.LaneListView },
    handler: async (request) => await lanes.lanes(callerOf(request).scope, request.params.id, request.query),
  });

  route(app, "POST /v1/webhook-endpoints/:id/lanes/retry", {
    config: {
      errors: ["conflict"],
      operation: "webhook_endpoints.lanes.retry",
      tenants: true,
      callers: operators,
      does: ["deliveries.replay"],
    },
    operationId: "retryWebhookEndpointLanes",
    summary: "Retry what lanes wait for",
    description:
      "Sends the delivery at the head of the lane now. If it fails again, the lane stays as it is. With `all`, the heads of all lanes are sent that have failed or wait for a retry.",
    params: EndpointParams,
    body: shapes.LaneChoiceBody,
    response: { 202: shapes.LaneCount },
    handler: async (request) => {
      const choice = choiceOf(request.body);
      return await lanes.retryLanes(callerOf(request).scope, request.params.id, choice);
    },
  });

  route(app, "POST /v1/webhook-endpoints/:id/lanes/skip", {
    config: {
      errors: ["conflict"],
      operation: "webhook_endpoints.lanes.skip",
      tenants: true,
      callers: operators,
      does: ["deliveries.cancel"],
    },
    operationId: "skipWebhookEndpointLanes",
    summary: "Skip what lanes wait for",
    description:
      "Cancels the delivery at the head of the lane, and sends the next one. With `all`, the heads of all lanes are cancelled that have failed or wait for a retry, unless they are being sent.",
    params: EndpointParams,
    body: shapes.LaneChoiceBody,
    response: { 202: shapes.LaneCount },
    handler: async (request) => {
      const choice = choiceOf(request.body);
      return await lanes.skipLanes(callerOf(request).scope, request.params.id, choice);
    },
  });
}

function choiceOf({ key, all }: { readonly key?: string; readonly all?: true }): LaneChoice {
  if (key !== undefined && all === undefined) return { key };
  if (key === undefined && all !== undefined) return { all };
  const message = "must be given, or `all` with the value true, but not both";
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/key", code: "one_of", message }] });
}
