import { callerOf } from "../caller.routes.ts";
import type { App } from "../caller.routes.ts";
import { keepers } from "../callers.ts";
import * as shapes from "./keys.schemas.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

export function keyRoutes(app: App, { keys }: Workspaces): void {
  readRoutes(app, keys);
  endRoutes(app, keys);

  app.post(
    "/v1/keys",
    {
      config: { operation: "keys.create", callers: keepers, audit: "key", errors: ["permission_required"] },
      schema: {
        operationId: "createKey",
        summary: "Make an API key",
        description: "It may do no more than the caller. Its text is in this answer alone.",
        body: shapes.KeyBody,
        response: { 201: shapes.NewKeyShape },
      },
    },
    async (request, reply) => await reply.code(201).send(await keys.create(callerOf(request).key, request.body)),
  );

  app.patch(
    "/v1/keys/:id",
    {
      config: {
        operation: "keys.update",
        callers: keepers,
        doesWith: { expires_at: "keys.revoke" },
        audit: "key",
        errors: ["conflict", "permission_required"],
      },
      schema: {
        operationId: "updateKey",
        summary: "Change an API key",
        description: "Only the members that are sent change, and the next request obeys.",
        params: shapes.KeyParams,
        body: shapes.KeyPatchBody,
        response: { 200: shapes.ChangedKeyShape },
      },
    },
    async (request) => await keys.change(callerOf(request).key, request.params.id, request.body),
  );
}

function endRoutes(app: App, keys: Workspaces["keys"]): void {
  app.post(
    "/v1/keys/:id/roll",
    {
      config: {
        operation: "keys.roll",
        callers: keepers,
        does: ["keys.revoke"],
        audit: "key",
        errors: ["conflict", "permission_required"],
      },
      schema: {
        operationId: "rollKey",
        summary: "Roll an API key",
        description: "Replaces it by a new one of the same rights, limits and idempotency records.",
        params: shapes.KeyParams,
        body: shapes.RollBody,
        response: { 201: shapes.NewKeyShape },
      },
    },
    async (request, reply) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      return await reply.code(201).send(await keys.roll(callerOf(request).key, request.params.id, overlapSeconds));
    },
  );

  app.post(
    "/v1/keys/:id/revoke",
    {
      config: { operation: "keys.revoke", callers: keepers, audit: "key" },
      schema: {
        operationId: "revokeKey",
        summary: "Revoke an API key",
        description: "Ends it at once and for good, on every node.",
        params: shapes.KeyParams,
        response: { 200: shapes.KeyShape },
      },
    },
    async (request) => await keys.revoke(callerOf(request).scope, request.params.id),
  );
}

function readRoutes(app: App, keys: Workspaces["keys"]): void {
  app.get(
    "/v1/keys",
    {
      config: { operation: "keys.list", callers: keepers },
      schema: {
        operationId: "listKeys",
        summary: "List API keys",
        description: "The keys of the caller's environment, revoked and expired ones too, newest first.",
        querystring: shapes.KeyListQuery,
        response: { 200: shapes.KeyList },
      },
    },
    async (request) => await keys.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/keys/:id",
    {
      config: { operation: "keys.get", callers: keepers },
      schema: {
        operationId: "getKey",
        summary: "Show an API key",
        description: "What it may do and when it was last used; never the key itself.",
        params: shapes.KeyParams,
        response: { 200: shapes.KeyShape },
      },
    },
    async (request) => await keys.get(callerOf(request).scope, request.params.id),
  );
}
