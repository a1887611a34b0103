import type { FastifyRequest } from "fastify";
import { memberText, sendText } from "../../access/access.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { isEventName } from "../../events/events.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import type { EventInQuestion, Explanations } from "./explain.ts";
import * as shapes from "./filters.schemas.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });

export function filterRoutes(app: App, explanations: Explanations): void {
  route(app, "POST /v1/webhook-endpoints/:id/explain", {
    config: {
      operation: "webhook_endpoints.explain",
      tenants: true,
      callers: readers,
      access: "read",
      doesWith: { event_id: "events.get" },
    },
    operationId: "explainWebhookEndpoint",
    summary: "Explain whether an endpoint gets an event",
    description:
      "Judges a given, past or scheduled event by the endpoint as it is now, and returns each check with each leaf of the filter. Nothing is sent.",
    params: EndpointParams,
    body: shapes.ExplainBody,
    response: { 200: shapes.ExplainView },
    handler: async (request, reply) => {
      const event = questionOf(request, request.body);
      return await sendText(reply, await explanations.explain(callerOf(request).scope, request.params.id, event));
    },
  });

  route(app, "POST /v1/webhook-endpoints/:id/filter/preview", {
    config: {
      operation: "webhook_endpoints.filter.preview",
      tenants: true,
      callers: readers,
      access: "read",
      does: ["events.list"],
    },
    operationId: "previewWebhookEndpointFilter",
    summary: "Preview a filter",
    description:
      "Returns which of the last 100 events the endpoint would have got with this filter. Nothing is changed.",
    params: EndpointParams,
    body: shapes.PreviewBody,
    response: { 200: shapes.PreviewView },
    handler: async (request) => {
      const filter = filterText(request, request.body.filter) ?? null;
      return await explanations.previewFilter(callerOf(request).scope, request.params.id, filter);
    },
  });
}

/** Returns `filter` as it was written, so that no digit is lost. Undefined if the body has none. */
export function filterText(request: FastifyRequest, filter: object | null | undefined): string | null | undefined {
  return typeof filter === "object" && filter !== null ? memberText(request, "filter") : filter;
}

/** Returns the event that a body names or gives. */
export function questionOf(
  request: FastifyRequest,
  {
    event,
    event_id: eventId,
    tenant,
    channels,
  }: {
    readonly event?: string;
    readonly event_id?: string;
    readonly tenant?: string;
    readonly channels?: readonly string[];
  },
): EventInQuestion {
  if ((event === undefined) === (eventId === undefined))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "", code: "one_of", message: "must have exactly one of event and event_id" }],
    });
  const own = [...(tenant === undefined ? [] : ["tenant"]), ...(channels === undefined ? [] : ["channels"])];
  if (eventId !== undefined && own.length > 0) {
    const message = "must not be used with event_id: the event has its own";
    throw new ServiceError("validation_failed", {
      errors: own.map((name) => ({ pointer: `/${name}`, code: "conflict", message })),
    });
  }
  if (eventId !== undefined) return { event_id: eventId };
  if (event === undefined || !isEventName(event))
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/event", code: "event_name", message: "must be an event name such as order.created" }],
    });
  return { event, data: memberText(request, "data") ?? "{}", tenant, channels };
}
