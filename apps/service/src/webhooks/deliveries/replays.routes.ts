import { t } from "../../lib/lib.ts";
import { callerOf, operators, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./replays.schemas.ts";
import type { Replays } from "./replays.ts";

const ReplayParams = t.Object({ id: t.WireId("job") });

export function replayRoutes(app: App, replays: Replays): void {
  route(app, "POST /v1/replays", {
    config: {
      operation: "replays.create",
      tenants: true,
      callers: operators,
      does: ["deliveries.replay", "webhook_endpoints.replay_failed"],
      errors: ["conflict", "not_found"],
    },
    operationId: "createReplay",
    summary: "Replay many deliveries",
    description:
      "Replays all deliveries that match a filter, or the deliveries with the given ids. Each gets one more attempt, with the same delivery id. A pending delivery whose retry waits gets that retry now, and its schedule continues from there. Other pending deliveries, and deliveries of inactive endpoints, are skipped. With `dry_run`, the deliveries are only counted.",
    body: shapes.ReplayBody,
    response: { 200: shapes.ReplayTally, 202: shapes.ReplayView },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const { dry_run: isDry, ...input } = request.body;
      if (isDry === true) return await replays.count(scope, input);
      reply.code(202);
      return await replays.create(scope, input);
    },
  });

  route(app, "GET /v1/replays", {
    config: { operation: "replays.list", tenants: true, callers: readers },
    operationId: "listReplays",
    summary: "List replays",
    description: "Newest first, including the replays of `replay-failed` and of `backfill`.",
    querystring: shapes.ReplayListQuery,
    response: { 200: shapes.ReplayListView },
    handler: async (request) => await replays.list(callerOf(request).scope, request.query),
  });

  jobRoutes(app, replays);
}

function jobRoutes(app: App, replays: Replays): void {
  route(app, "GET /v1/replays/:id", {
    config: { operation: "replays.get", tenants: true, callers: readers },
    operationId: "getReplay",
    summary: "Show a replay",
    description: "Returns the progress of the replay.",
    params: ReplayParams,
    response: { 200: shapes.ReplayView },
    handler: async (request) => await replays.get(callerOf(request).scope, request.params.id),
  });

  route(app, "POST /v1/replays/:id/cancel", {
    config: { operation: "replays.cancel", tenants: true, callers: operators, errors: ["conflict"] },
    operationId: "cancelReplay",
    summary: "Stop a replay",
    description: "Deliveries that the replay has already started are sent. The others are not changed.",
    params: ReplayParams,
    response: { 200: shapes.ReplayView },
    handler: async (request) => await replays.cancel(callerOf(request).scope, request.params.id),
  });
}
