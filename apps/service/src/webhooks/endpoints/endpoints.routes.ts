import type { FastifyRequest } from "fastify";
import { markTenant, sendText } from "../../access/access.ts";
import { pageText, t } from "../../lib/lib.ts";
import { callerOf, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { endpointSecretRoutes } from "./endpoint-secrets.routes.ts";
import { StatsView } from "./endpoint-stats.schemas.ts";
import { endpointText } from "./endpoint-view.ts";
import * as shapes from "./endpoints.schemas.ts";
import type { EndpointInput, Endpoints } from "./endpoints.ts";
import { filterRoutes, filterText } from "./filters.routes.ts";
import { transformRoutes, transformText } from "./transforms.routes.ts";
import { namedAuthorOf } from "./transforms.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });
const CREATE = "webhook_endpoints.create";
/**
 * A credential of the portal changes filters and transformations only with these capabilities, and other settings only with that of
 * endpoints.
 */
const SHAPED_BY = { filter: "webhook_endpoints.filter.preview", transform: "webhook_endpoints.transform.test" };
const OTHER_SETTINGS = [
  "kind",
  "url",
  "events",
  "active",
  "description",
  "headers",
  "rate_limit_per_second",
  "max_in_flight",
  "tenant",
  "event_versions",
  "ordering",
  "retry_schedule",
  "auth",
  "destination",
  "signatures",
  "wire",
  "channels",
  "metadata",
  "uid",
] satisfies readonly (keyof typeof shapes.EndpointBody.properties)[];
const NEEDED_BY_SETTINGS = Object.fromEntries(OTHER_SETTINGS.map((name) => [name, CREATE]));

export function endpointRoutes(app: App, endpoints: Endpoints): void {
  route(app, "POST /v1/webhook-endpoints", {
    config: {
      errors: ["url_blocked", "conflict", "transform_cases_failed"],
      operation: "webhook_endpoints.create",
      tenants: true,
      callers: writers,
      needsWith: SHAPED_BY,
      audit: "endpoint",
    },
    operationId: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    description:
      "The URL is checked at once: it must use https, and every address that its host name resolves to must be public. The response contains the signing secret.",
    body: shapes.EndpointBody,
    response: { 201: shapes.EndpointWithSecret },
    handler: async (request, reply) => {
      const { key, scope } = callerOf(request);
      await endpoints.assertShown(callerOf(request), request.body);
      const made = await endpoints.create(scope, inputOf(request, request.body), namedAuthorOf(key));
      return await sendText(reply, endpointText(made));
    },
  });

  route(app, "GET /v1/webhook-endpoints", {
    config: { operation: "webhook_endpoints.list", tenants: true, callers: readers },
    operationId: "listWebhookEndpoints",
    summary: "List webhook endpoints",
    description: "Newest first.",
    querystring: shapes.EndpointListQuery,
    response: { 200: shapes.EndpointListView },
    handler: async (request, reply) => {
      const page = await endpoints.list(callerOf(request).scope, request.query);
      return await sendText(reply, pageText({ ...page, data: page.data.map(endpointText) }));
    },
  });

  route(app, "GET /v1/webhook-endpoints/:id", {
    config: { operation: "webhook_endpoints.get", tenants: true, callers: readers },
    operationId: "getWebhookEndpoint",
    summary: "Show a webhook endpoint",
    description:
      "Returns the endpoint with its health: green; amber while deliveries fail; red after it was deactivated.",
    params: EndpointParams,
    response: { 200: shapes.EndpointView },
    handler: async (request, reply) =>
      await sendText(reply, endpointText(await endpoints.get(callerOf(request).scope, request.params.id))),
  });

  endpointChangeRoutes(app, endpoints);
  endpointToggleRoute(app, endpoints);
  endpointStatsRoute(app, endpoints);
  endpointSecretRoutes(app, endpoints);
  filterRoutes(app, endpoints);
  transformRoutes(app, endpoints);
}

function endpointChangeRoutes(app: App, endpoints: Endpoints): void {
  route(app, "PATCH /v1/webhook-endpoints/:id", {
    config: {
      errors: ["url_blocked", "conflict", "transform_cases_failed"],
      operation: "webhook_endpoints.update",
      tenants: true,
      callers: writers,
      doesWith: { active: "webhook_endpoints.toggle" },
      needsWith: { ...SHAPED_BY, ...NEEDED_BY_SETTINGS },
      audit: "endpoint",
    },
    operationId: "updateWebhookEndpoint",
    summary: "Change a webhook endpoint",
    description: "Only the members in the request change. Pending deliveries use the new values.",
    params: EndpointParams,
    body: shapes.EndpointPatch,
    response: { 200: shapes.EndpointView },
    handler: async (request, reply) => {
      const { key, scope } = callerOf(request);
      const input = inputOf(request, request.body);
      await endpoints.assertShown(callerOf(request), request.body, request.params.id);
      const changed = await endpoints.change(scope, request.params.id, input, namedAuthorOf(key));
      return await sendText(reply, endpointText(changed));
    },
  });

  route(app, "DELETE /v1/webhook-endpoints/:id", {
    config: { operation: "webhook_endpoints.delete", tenants: true, callers: writers, audit: "endpoint" },
    operationId: "deleteWebhookEndpoint",
    summary: "Delete a webhook endpoint",
    description: "Pending deliveries are cancelled. The delivery log is kept.",
    params: EndpointParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await markTenant(endpoints, request, request.params.id);
      await endpoints.remove(callerOf(request).scope, request.params.id);
    },
  });
}

function endpointToggleRoute(app: App, endpoints: Endpoints): void {
  route(app, "POST /v1/webhook-endpoints/:id/toggle", {
    config: {
      operation: "webhook_endpoints.toggle",
      tenants: true,
      callers: writers,
      does: ["webhook_endpoints.update"],
      audit: "endpoint",
    },
    operationId: "toggleWebhookEndpoint",
    summary: "Enable or disable a webhook endpoint",
    description: "While an endpoint is disabled, its existing deliveries wait, and no new ones are created.",
    params: EndpointParams,
    response: { 200: shapes.EndpointView },
    handler: async (request, reply) =>
      await sendText(reply, endpointText(await endpoints.toggle(callerOf(request).scope, request.params.id))),
  });
}

function endpointStatsRoute(app: App, endpoints: Endpoints): void {
  route(app, "GET /v1/webhook-endpoints/:id/stats", {
    config: { operation: "webhook_endpoints.stats", tenants: true, callers: readers },
    operationId: "getWebhookEndpointStats",
    summary: "Show an endpoint's last 24 hours",
    description: "Returns the deliveries by state, and the duration of attempts.",
    params: EndpointParams,
    response: { 200: StatsView },
    handler: async (request) => await endpoints.stats(callerOf(request).scope, request.params.id),
  });
}

type CodeMember = "filter" | "transform";

/** Returns the body with the filter and the transformation as they were written. */
function inputOf<
  Body extends Partial<Omit<EndpointInput, CodeMember>> & { readonly [Name in CodeMember]?: object | null },
>(
  request: FastifyRequest,
  { filter, transform, ...rest }: Body,
): Omit<Body, CodeMember> & Pick<EndpointInput, CodeMember> {
  const texts = { filter: filterText(request, filter), transform: transformText(request, transform) };
  return {
    ...rest,
    ...(texts.filter !== undefined && { filter: texts.filter }),
    ...(texts.transform !== undefined && { transform: texts.transform }),
  };
}
