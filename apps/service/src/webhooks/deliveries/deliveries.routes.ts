import { t } from "../../lib/lib.ts";
import { callerOf, operators, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./deliveries.schemas.ts";
import type { DeliveryLog } from "./delivery-log.ts";

const DeliveryParams = t.Object({ id: t.WireId("dlv") });

export function deliveryRoutes(app: App, deliver: DeliveryLog): void {
  route(app, "GET /v1/deliveries", {
    config: { operation: "deliveries.list", tenants: true, callers: readers, errors: ["not_found"] },
    operationId: "listDeliveries",
    summary: "List deliveries",
    description: "Newest first, with filters.",
    querystring: shapes.DeliveryListQuery,
    response: { 200: shapes.DeliveryListView },
    handler: async (request) => await deliver.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/deliveries/:id", {
    config: { operation: "deliveries.get", tenants: true, callers: readers },
    operationId: "getDelivery",
    summary: "Show a delivery",
    description: "Returns the delivery with the request that is sent.",
    params: DeliveryParams,
    response: { 200: shapes.DeliveryDetail },
    handler: async (request) => await deliver.get(callerOf(request).scope, request.params.id),
  });

  route(app, "GET /v1/deliveries/:id/attempts", {
    config: { operation: "deliveries.attempts", tenants: true, callers: readers },
    operationId: "listDeliveryAttempts",
    summary: "List the attempts of a delivery",
    description: "Oldest first, with the status, the timing and the beginning of the response.",
    params: DeliveryParams,
    querystring: shapes.AttemptListQuery,
    response: { 200: shapes.AttemptListView },
    handler: async (request) => await deliver.attempts(callerOf(request).scope, request.params.id, request.query),
  });

  deliveryChangeRoutes(app, deliver);
}

function deliveryChangeRoutes(app: App, deliver: DeliveryLog): void {
  route(app, "POST /v1/deliveries/:id/replay", {
    config: { errors: ["conflict"], operation: "deliveries.replay", tenants: true, callers: operators },
    operationId: "replayDelivery",
    summary: "Replay a delivery",
    description:
      "Sends the delivery now, with the same delivery id. A failed, delivered, filtered or cancelled delivery gets one more attempt. If a pending delivery waits for its retry, that retry is made now, and the schedule continues from there. Refused with 409 while an attempt is running or another replay waits, before the first attempt, and for an inactive endpoint. A request that a transformation made is sent again with the same bytes, unless `retransform` is true.",
    params: DeliveryParams,
    querystring: shapes.ReplayQuery,
    response: { 202: shapes.DeliveryView },
    handler: async (request) =>
      await deliver.replay(callerOf(request).scope, request.params.id, request.query.retransform === true),
  });

  route(app, "POST /v1/deliveries/:id/cancel", {
    config: { errors: ["conflict"], operation: "deliveries.cancel", tenants: true, callers: operators },
    operationId: "cancelDelivery",
    summary: "Cancel a delivery",
    description: "Only a pending delivery can be cancelled.",
    params: DeliveryParams,
    response: { 200: shapes.DeliveryView },
    handler: async (request) => await deliver.cancel(callerOf(request).scope, request.params.id),
  });
}
