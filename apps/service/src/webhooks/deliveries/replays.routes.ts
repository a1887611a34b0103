import { Type, WireId } from "../../lib/lib.ts";
import { callerOf, operators, readers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import * as shapes from "./deliver.schemas.ts";
import type { Replays } from "./replays.ts";

const ReplayParams = Type.Object({ id: WireId("job") });

export function replayRoutes(app: App, replays: Replays): void {
  app.post(
    "/v1/replays",
    {
      config: {
        operation: "replays.create",
        callers: operators,
        does: ["deliveries.replay", "webhook_endpoints.replay_failed"],
        errors: ["not_found"],
      },
      schema: {
        operationId: "createReplay",
        summary: "Replay many deliveries",
        description:
          "All that a filter finds, or those that are named: each gets one further attempt, under its own id. Those of inactive endpoints, and those that wait or were cancelled, are left out. With `dry_run` they are only counted.",
        body: shapes.ReplayBody,
        response: { 200: shapes.ReplayTally, 202: shapes.ReplayView },
      },
    },
    async (request, reply) => {
      const { scope } = callerOf(request);
      const { dry_run: isDry, ...input } = request.body;
      if (isDry === true) return await replays.count(scope, input);
      return await reply.code(202).send(await replays.create(scope, input));
    },
  );

  app.get(
    "/v1/replays",
    {
      config: { operation: "replays.list", callers: readers },
      schema: {
        operationId: "listReplays",
        summary: "List replays",
        description: "Newest first, those of `replay-failed` too.",
        querystring: shapes.ReplayListQuery,
        response: { 200: shapes.ReplayListView },
      },
    },
    async (request) => await replays.list(callerOf(request).scope, request.query),
  );

  jobRoutes(app, replays);
}

function jobRoutes(app: App, replays: Replays): void {
  app.get(
    "/v1/replays/:id",
    {
      config: { operation: "replays.get", callers: readers },
      schema: {
        operationId: "getReplay",
        summary: "Show a replay",
        description: "How far it is.",
        params: ReplayParams,
        response: { 200: shapes.ReplayView },
      },
    },
    async (request) => await replays.get(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/replays/:id/cancel",
    {
      config: { operation: "replays.cancel", callers: operators, errors: ["conflict"] },
      schema: {
        operationId: "cancelReplay",
        summary: "Stop a replay",
        description: "What it has set going already is sent; the rest stays as it is.",
        params: ReplayParams,
        response: { 200: shapes.ReplayView },
      },
    },
    async (request) => await replays.cancel(callerOf(request).scope, request.params.id),
  );
}
