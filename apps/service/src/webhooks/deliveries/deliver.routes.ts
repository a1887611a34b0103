import type { FastifyRequest } from "fastify";
import { markTenant, sendText } from "../../access/access.ts";
import { pageText, Type, WireId } from "../../lib/lib.ts";
import { callerOf, operators, readers, owners, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Deliver } from "./deliver.ts";
import * as shapes from "./deliver.schemas.ts";
import { filterRoutes, filterText } from "../endpoints/filters.routes.ts";
import { transformRoutes, transformText } from "../endpoints/transforms.routes.ts";
import { namedAuthorOf } from "../endpoints/transforms.ts";
import type { EndpointInput } from "../endpoints/endpoints.ts";
import { endpointText } from "./views.ts";
import { laneRoutes } from "../lanes/lanes.routes.ts";
import { replayRoutes } from "./replays.routes.ts";
import { pullRoutes } from "../pull/pull.routes.ts";

const EndpointParams = Type.Object({ id: WireId("ep") });
const DeliveryParams = Type.Object({ id: WireId("dlv") });

export function deliverRoutes(app: App, deliver: Deliver): void {
  endpointRoutes(app, deliver);
  filterRoutes(app, deliver.endpoints);
  laneRoutes(app, deliver.endpoints);
  transformRoutes(app, deliver.endpoints);
  endpointSecretRoutes(app, deliver);
  endpointHeaderRoute(app, deliver);
  endpointReplayRoutes(app, deliver);
  deliveryRoutes(app, deliver);
  replayRoutes(app, deliver.replays);
  pullRoutes(app, deliver);
}

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
  "signatures",
  "wire",
  "channels",
  "metadata",
  "uid",
] satisfies readonly (keyof typeof shapes.EndpointBody.properties)[];
const NEEDED_BY_SETTINGS = Object.fromEntries(OTHER_SETTINGS.map((name) => [name, CREATE]));

function endpointRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints",
    {
      config: {
        errors: ["url_blocked", "conflict", "transform_cases_failed"],
        operation: "webhook_endpoints.create",
        tenants: true,
        callers: writers,
        needsWith: SHAPED_BY,
        audit: "endpoint",
      },
      schema: {
        operationId: "createWebhookEndpoint",
        summary: "Create a webhook endpoint",
        description:
          "The URL is checked at once: it must use https, and every address that its host name resolves to must be public. The response contains the signing secret.",
        body: shapes.EndpointBody,
        response: { 201: shapes.EndpointWithSecret },
      },
    },
    async (request, reply) => {
      const { key, scope } = callerOf(request);
      await endpoints.assertShown(callerOf(request), request.body);
      const made = await endpoints.create(scope, inputOf(request, request.body), namedAuthorOf(key));
      return await sendText(reply.code(201), endpointText(made));
    },
  );

  app.get(
    "/v1/webhook-endpoints",
    {
      config: { operation: "webhook_endpoints.list", tenants: true, callers: readers },
      schema: {
        operationId: "listWebhookEndpoints",
        summary: "List webhook endpoints",
        description: "Newest first.",
        querystring: shapes.EndpointListQuery,
        response: { 200: shapes.EndpointListView },
      },
    },
    async (request, reply) => {
      const page = await endpoints.list(callerOf(request).scope, request.query);
      return await sendText(reply, pageText({ ...page, data: page.data.map(endpointText) }));
    },
  );

  app.get(
    "/v1/webhook-endpoints/:id",
    {
      config: { operation: "webhook_endpoints.get", tenants: true, callers: readers },
      schema: {
        operationId: "getWebhookEndpoint",
        summary: "Show a webhook endpoint",
        description:
          "Returns the endpoint with its health: green; amber while deliveries fail; red after it was deactivated.",
        params: EndpointParams,
        response: { 200: shapes.EndpointView },
      },
    },
    async (request, reply) =>
      await sendText(reply, endpointText(await endpoints.get(callerOf(request).scope, request.params.id))),
  );

  endpointChangeRoutes(app, endpoints);
}

function endpointChangeRoutes(app: App, endpoints: Deliver["endpoints"]): void {
  app.patch(
    "/v1/webhook-endpoints/:id",
    {
      config: {
        errors: ["url_blocked", "conflict", "transform_cases_failed"],
        operation: "webhook_endpoints.update",
        tenants: true,
        callers: writers,
        doesWith: { active: "webhook_endpoints.toggle" },
        needsWith: { ...SHAPED_BY, ...NEEDED_BY_SETTINGS },
        audit: "endpoint",
      },
      schema: {
        operationId: "updateWebhookEndpoint",
        summary: "Change a webhook endpoint",
        description: "Only the members in the request change. Pending deliveries use the new values.",
        params: EndpointParams,
        body: shapes.EndpointPatch,
        response: { 200: shapes.EndpointView },
      },
    },
    async (request, reply) => {
      const { key, scope } = callerOf(request);
      const input = inputOf(request, request.body);
      await endpoints.assertShown(callerOf(request), request.body, request.params.id);
      const changed = await endpoints.change(scope, request.params.id, input, namedAuthorOf(key));
      return await sendText(reply, endpointText(changed));
    },
  );

  app.delete(
    "/v1/webhook-endpoints/:id",
    {
      config: { operation: "webhook_endpoints.delete", tenants: true, callers: writers, audit: "endpoint" },
      schema: {
        operationId: "deleteWebhookEndpoint",
        summary: "Delete a webhook endpoint",
        description: "Pending deliveries are cancelled. The delivery log is kept.",
        params: EndpointParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await markTenant(endpoints, request, request.params.id);
      await endpoints.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );
}

type Written = "filter" | "transform";

/** Returns the body with the filter and the transformation as they were written. */
function inputOf<Body extends Partial<Omit<EndpointInput, Written>> & { readonly [Name in Written]?: object | null }>(
  request: FastifyRequest,
  { filter, transform, ...rest }: Body,
): Omit<Body, Written> & Pick<EndpointInput, Written> {
  const texts = { filter: filterText(request, filter), transform: transformText(request, transform) };
  return {
    ...rest,
    ...(texts.filter !== undefined && { filter: texts.filter }),
    ...(texts.transform !== undefined && { transform: texts.transform }),
  };
}

function endpointSecretRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints/:id/toggle",
    {
      config: {
        operation: "webhook_endpoints.toggle",
        tenants: true,
        callers: writers,
        does: ["webhook_endpoints.update"],
        audit: "endpoint",
      },
      schema: {
        operationId: "toggleWebhookEndpoint",
        summary: "Enable or disable a webhook endpoint",
        description: "While an endpoint is disabled, its existing deliveries wait, and no new ones are created.",
        params: EndpointParams,
        response: { 200: shapes.EndpointView },
      },
    },
    async (request, reply) =>
      await sendText(reply, endpointText(await endpoints.toggle(callerOf(request).scope, request.params.id))),
  );

  app.get(
    "/v1/webhook-endpoints/:id/secret",
    {
      config: { operation: "webhook_endpoints.secret", tenants: true, callers: writers, audit: "endpoint" },
      schema: {
        operationId: "revealWebhookSecret",
        summary: "Show a signing secret",
        description:
          "For owners, and for the key or person that created the secret. Each call is audited. While a regenerated secret overlaps with the previous one, owners see both.",
        params: EndpointParams,
        response: { 200: shapes.SecretView },
      },
    },
    async (request) => {
      await markTenant(endpoints, request, request.params.id);
      return await endpoints.reveal(callerOf(request), request.params.id);
    },
  );

  app.post(
    "/v1/webhook-endpoints/:id/secret/regenerate",
    {
      config: {
        operation: "webhook_endpoints.secret.regenerate",
        tenants: true,
        callers: writers,
        audit: "endpoint",
        errors: ["conflict"],
      },
      schema: {
        operationId: "regenerateWebhookSecret",
        summary: "Regenerate a signing secret",
        description:
          "With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure.",
        params: EndpointParams,
        body: shapes.RegenerateBody,
        response: { 200: shapes.EndpointWithSecret },
      },
    },
    async (request, reply) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      const changed = await endpoints.regenerate(callerOf(request), request.params.id, overlapSeconds);
      return await sendText(reply, endpointText(changed));
    },
  );
}

function endpointHeaderRoute(app: App, { endpoints }: Deliver): void {
  app.get(
    "/v1/webhook-endpoints/:id/headers",
    {
      config: {
        operation: "webhook_endpoints.headers",
        tenants: true,
        audit: "endpoint",
        callers: owners,
        errors: ["conflict"],
      },
      schema: {
        operationId: "revealWebhookHeaders",
        summary: "Show the values of an endpoint's headers",
        description: "For owners only, and audited. Other responses show `[redacted]` instead of the values.",
        params: EndpointParams,
        response: { 200: shapes.RevealedHeaders },
      },
    },
    async (request) => {
      await markTenant(endpoints, request, request.params.id);
      return await endpoints.revealHeaders(callerOf(request).scope, request.params.id);
    },
  );
}

function endpointReplayRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints/:id/replay-failed",
    {
      config: {
        errors: ["conflict"],
        operation: "webhook_endpoints.replay_failed",
        tenants: true,
        callers: operators,
        does: ["deliveries.replay", "replays.create"],
      },
      schema: {
        operationId: "replayFailedDeliveries",
        summary: "Replay an endpoint's failed deliveries",
        description:
          "Each failed delivery in the time range gets one more attempt, with the same delivery id. With `include_pending`, the waiting retries of pending deliveries are made now too. With `dry_run`, the deliveries are only counted.",
        params: EndpointParams,
        body: shapes.ReplayFailedBody,
        response: { 200: shapes.ReplayCount, 202: shapes.ReplayJobView },
      },
    },
    async (request, reply) => {
      const { scope } = callerOf(request);
      if (request.body.dry_run === true)
        return { count: await endpoints.countFailed(scope, request.params.id, request.body) };
      return await reply.code(202).send(await endpoints.replayFailed(scope, request.params.id, request.body));
    },
  );

  app.post(
    "/v1/webhook-endpoints/:id/backfill",
    {
      config: {
        errors: ["conflict"],
        operation: "webhook_endpoints.backfill",
        tenants: true,
        callers: operators,
        does: ["deliveries.replay", "replays.create", "webhook_endpoints.replay_failed"],
      },
      schema: {
        operationId: "backfillWebhookEndpoint",
        summary: "Send an endpoint the events that it missed",
        description:
          "Creates deliveries of stored events to this endpoint, oldest first: of events that happened while it was disabled or before it was created. The endpoint's tenant, events, filter and transformation are applied as they are now. Runs in the background, and is shown and cancelled as a replay. It ends as cancelled if the endpoint is disabled. With `dry_run`, the events are only counted.",
        params: EndpointParams,
        body: shapes.BackfillBody,
        response: { 200: shapes.BackfillCount, 202: shapes.BackfillJobView },
      },
    },
    async (request, reply) => {
      const { scope } = callerOf(request);
      const { dry_run: isDry, ...wish } = request.body;
      if (isDry === true) return await endpoints.countMissed(scope, request.params.id, wish);
      return await reply.code(202).send(await endpoints.backfill(scope, request.params.id, wish));
    },
  );

  app.get(
    "/v1/webhook-endpoints/:id/stats",
    {
      config: { operation: "webhook_endpoints.stats", tenants: true, callers: readers },
      schema: {
        operationId: "getWebhookEndpointStats",
        summary: "Show an endpoint's last 24 hours",
        description: "Returns the deliveries by state, and the duration of attempts.",
        params: EndpointParams,
        response: { 200: shapes.StatsView },
      },
    },
    async (request) => await endpoints.stats(callerOf(request).scope, request.params.id),
  );
}

function deliveryRoutes(app: App, deliver: Deliver): void {
  app.get(
    "/v1/deliveries",
    {
      config: { operation: "deliveries.list", tenants: true, callers: readers, errors: ["not_found"] },
      schema: {
        operationId: "listDeliveries",
        summary: "List deliveries",
        description: "Newest first, with filters.",
        querystring: shapes.DeliveryListQuery,
        response: { 200: shapes.DeliveryListView },
      },
    },
    async (request) => await deliver.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/deliveries/:id",
    {
      config: { operation: "deliveries.get", tenants: true, callers: readers },
      schema: {
        operationId: "getDelivery",
        summary: "Show a delivery",
        description: "Returns the delivery with the request that is sent.",
        params: DeliveryParams,
        response: { 200: shapes.DeliveryDetail },
      },
    },
    async (request) => await deliver.get(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/deliveries/:id/attempts",
    {
      config: { operation: "deliveries.attempts", tenants: true, callers: readers },
      schema: {
        operationId: "listDeliveryAttempts",
        summary: "List the attempts of a delivery",
        description: "Oldest first, with the status, the timing and the beginning of the response.",
        params: DeliveryParams,
        querystring: shapes.AttemptListQuery,
        response: { 200: shapes.AttemptListView },
      },
    },
    async (request) => await deliver.attempts(callerOf(request).scope, request.params.id, request.query),
  );

  deliveryChangeRoutes(app, deliver);
}

function deliveryChangeRoutes(app: App, deliver: Deliver): void {
  app.post(
    "/v1/deliveries/:id/replay",
    {
      config: { errors: ["conflict"], operation: "deliveries.replay", tenants: true, callers: operators },
      schema: {
        operationId: "replayDelivery",
        summary: "Replay a delivery",
        description:
          "Sends the delivery now, with the same delivery id. A failed, delivered, filtered or cancelled delivery gets one more attempt. If a pending delivery waits for its retry, that retry is made now, and the schedule continues from there. Refused with 409 while an attempt is running or another replay waits, before the first attempt, and for an inactive endpoint. A request that a transformation made is sent again with the same bytes, unless `retransform` is true.",
        params: DeliveryParams,
        querystring: shapes.ReplayQuery,
        response: { 202: shapes.DeliveryView },
      },
    },
    async (request, reply) =>
      await reply
        .code(202)
        .send(await deliver.replay(callerOf(request).scope, request.params.id, request.query.retransform === true)),
  );

  app.post(
    "/v1/deliveries/:id/cancel",
    {
      config: { errors: ["conflict"], operation: "deliveries.cancel", tenants: true, callers: operators },
      schema: {
        operationId: "cancelDelivery",
        summary: "Cancel a delivery",
        description: "Only a pending delivery can be cancelled.",
        params: DeliveryParams,
        response: { 200: shapes.DeliveryView },
      },
    },
    async (request) => await deliver.cancel(callerOf(request).scope, request.params.id),
  );
}
