import { t } from "../../lib/lib.ts";
import { callerOf, operators, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { EndpointReplays } from "./endpoint-replays.ts";
import * as shapes from "./endpoint-replays.schemas.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });

export function endpointReplayRoutes(app: App, replays: EndpointReplays): void {
  route(app, "POST /v1/webhook-endpoints/:id/replay-failed", {
    config: {
      errors: ["conflict"],
      operation: "webhook_endpoints.replay_failed",
      tenants: true,
      callers: operators,
      does: ["deliveries.replay", "replays.create"],
    },
    operationId: "replayFailedDeliveries",
    summary: "Replay an endpoint's failed deliveries",
    description:
      "Each failed delivery in the time range gets one more attempt, with the same delivery id. With `include_pending`, the waiting retries of pending deliveries are made now too. With `dry_run`, the deliveries are only counted.",
    params: EndpointParams,
    body: shapes.ReplayFailedBody,
    response: { 200: shapes.ReplayCount, 202: shapes.ReplayJobView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      if (request.body.dry_run === true)
        return { count: await replays.countFailed(scope, request.params.id, request.body) };
      reply.code(202);
      return await replays.replayFailed(scope, request.params.id, request.body);
    },
  });

  route(app, "POST /v1/webhook-endpoints/:id/backfill", {
    config: {
      errors: ["conflict"],
      operation: "webhook_endpoints.backfill",
      tenants: true,
      callers: operators,
      does: ["deliveries.replay", "replays.create", "webhook_endpoints.replay_failed"],
    },
    operationId: "backfillWebhookEndpoint",
    summary: "Send an endpoint the events that it missed",
    description:
      "Creates deliveries of stored events to this endpoint, oldest first: of events that happened while it was disabled or before it was created. The endpoint's tenant, events, filter and transformation are applied as they are now. Runs in the background, and is shown and cancelled as a replay. It ends as cancelled if the endpoint is disabled. With `dry_run`, the events are only counted.",
    params: EndpointParams,
    body: shapes.BackfillBody,
    response: { 200: shapes.BackfillCount, 202: shapes.BackfillJobView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const { dry_run: isDry, ...wish } = request.body;
      if (isDry === true) return await replays.countMissed(scope, request.params.id, wish);
      reply.code(202);
      return await replays.backfill(scope, request.params.id, wish);
    },
  });
}
