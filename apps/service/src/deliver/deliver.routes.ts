import { Type } from "../kernel/kernel.ts";
import { callerOf } from "../workspaces/workspaces.ts";
import type { App } from "../workspaces/workspaces.ts";
import type { Deliver } from "./deliver.ts";
import * as shapes from "./deliver.schemas.ts";

const IdParams = Type.Object({ id: Type.String() });

export function deliverRoutes(app: App, deliver: Deliver): void {
  endpointRoutes(app, deliver);
  endpointSecretRoutes(app, deliver);
  endpointReplayRoutes(app, deliver);
  deliveryRoutes(app, deliver);
}

function endpointRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints",
    {
      config: { operation: "webhook_endpoints.create" },
      schema: {
        operationId: "createWebhookEndpoint",
        body: shapes.EndpointBody,
        response: { 201: shapes.EndpointWithSecret },
      },
    },
    async (request, reply) => await reply.code(201).send(await endpoints.create(callerOf(request).scope, request.body)),
  );

  app.get(
    "/v1/webhook-endpoints",
    {
      config: { operation: "webhook_endpoints.list" },
      schema: {
        operationId: "listWebhookEndpoints",
        querystring: shapes.EndpointListQuery,
        response: { 200: shapes.EndpointListView },
      },
    },
    async (request) => await endpoints.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/webhook-endpoints/:id",
    {
      config: { operation: "webhook_endpoints.get" },
      schema: { operationId: "getWebhookEndpoint", params: IdParams, response: { 200: shapes.EndpointView } },
    },
    async (request) => await endpoints.get(callerOf(request).scope, request.params.id),
  );

  app.patch(
    "/v1/webhook-endpoints/:id",
    {
      config: { operation: "webhook_endpoints.update" },
      schema: {
        operationId: "updateWebhookEndpoint",
        params: IdParams,
        body: shapes.EndpointPatch,
        response: { 200: shapes.EndpointView },
      },
    },
    async (request) => await endpoints.change(callerOf(request).scope, request.params.id, request.body),
  );

  app.delete(
    "/v1/webhook-endpoints/:id",
    {
      config: { operation: "webhook_endpoints.delete" },
      schema: { operationId: "deleteWebhookEndpoint", params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await endpoints.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );
}

function endpointSecretRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints/:id/toggle",
    {
      config: { operation: "webhook_endpoints.toggle" },
      schema: { operationId: "toggleWebhookEndpoint", params: IdParams, response: { 200: shapes.EndpointView } },
    },
    async (request) => await endpoints.toggle(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/webhook-endpoints/:id/secret",
    {
      config: { operation: "webhook_endpoints.secret", roles: ["owner"] },
      schema: { operationId: "revealWebhookSecret", params: IdParams, response: { 200: shapes.SecretView } },
    },
    async (request) => await endpoints.reveal(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/webhook-endpoints/:id/secret/regenerate",
    {
      config: { operation: "webhook_endpoints.secret.regenerate" },
      schema: {
        operationId: "regenerateWebhookSecret",
        params: IdParams,
        body: shapes.RegenerateBody,
        response: { 200: shapes.EndpointWithSecret },
      },
    },
    async (request) =>
      await endpoints.regenerate(callerOf(request).scope, request.params.id, request.body?.overlap_seconds ?? 0),
  );
}

function endpointReplayRoutes(app: App, { endpoints }: Deliver): void {
  app.post(
    "/v1/webhook-endpoints/:id/replay-failed",
    {
      config: { operation: "webhook_endpoints.replay_failed", roles: ["owner", "admin", "developer", "operator"] },
      schema: {
        operationId: "replayFailedDeliveries",
        params: IdParams,
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

  app.get(
    "/v1/webhook-endpoints/:id/stats",
    {
      config: { operation: "webhook_endpoints.stats" },
      schema: {
        operationId: "getWebhookEndpointStats",
        summary: "The last 24 hours",
        params: IdParams,
        response: { 200: shapes.StatsView },
      },
    },
    async (request) => await endpoints.stats(callerOf(request).scope, request.params.id),
  );
}

function deliveryRoutes(app: App, deliver: Deliver): void {
  const senders = ["owner", "admin", "developer", "operator"] as const;
  app.get(
    "/v1/deliveries",
    {
      config: { operation: "deliveries.list" },
      schema: {
        operationId: "listDeliveries",
        querystring: shapes.DeliveryListQuery,
        response: { 200: shapes.DeliveryListView },
      },
    },
    async (request) => await deliver.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/deliveries/:id",
    {
      config: { operation: "deliveries.get" },
      schema: { operationId: "getDelivery", params: IdParams, response: { 200: shapes.DeliveryDetail } },
    },
    async (request) => await deliver.get(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/deliveries/:id/attempts",
    {
      config: { operation: "deliveries.attempts" },
      schema: { operationId: "listDeliveryAttempts", params: IdParams, response: { 200: shapes.AttemptListView } },
    },
    async (request) => {
      const data = await deliver.attempts(callerOf(request).scope, request.params.id);
      return { object: "list" as const, data, has_more: false, next_cursor: null };
    },
  );

  app.post(
    "/v1/deliveries/:id/replay",
    {
      config: { operation: "deliveries.replay", roles: senders },
      schema: { operationId: "replayDelivery", params: IdParams, response: { 202: shapes.DeliveryView } },
    },
    async (request, reply) =>
      await reply.code(202).send(await deliver.replay(callerOf(request).scope, request.params.id)),
  );

  app.post(
    "/v1/deliveries/:id/cancel",
    {
      config: { operation: "deliveries.cancel", roles: senders },
      schema: { operationId: "cancelDelivery", params: IdParams, response: { 200: shapes.DeliveryView } },
    },
    async (request) => await deliver.cancel(callerOf(request).scope, request.params.id),
  );
}
