import { callerOf } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { keepers } from "../callers/callers.ts";
import * as shapes from "./keys.schemas.ts";
import type { ApiKeys } from "./api-keys.ts";

export function keyRoutes(app: App, keys: ApiKeys): void {
  readRoutes(app, keys);
  endRoutes(app, keys);

  app.post(
    "/v1/keys",
    {
      config: {
        operation: "keys.create",
        tenants: true,
        callers: keepers,
        audit: "key",
        errors: ["permission_required"],
      },
      schema: {
        operationId: "createKey",
        summary: "Create an API key",
        description: "The key cannot have more rights than the caller. Its text is shown only in this response.",
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
        tenants: true,
        callers: keepers,
        doesWith: { expires_at: "keys.revoke" },
        audit: "key",
        errors: ["conflict", "permission_required"],
      },
      schema: {
        operationId: "updateKey",
        summary: "Change an API key",
        description: "Only the members in the request change. The next request of the key follows the change.",
        params: shapes.KeyParams,
        body: shapes.KeyPatchBody,
        response: { 200: shapes.ChangedKeyShape },
      },
    },
    async (request) => await keys.change(callerOf(request).key, request.params.id, request.body),
  );
}

function endRoutes(app: App, keys: ApiKeys): void {
  app.post(
    "/v1/keys/:id/roll",
    {
      config: {
        operation: "keys.roll",
        tenants: true,
        callers: keepers,
        does: ["keys.revoke"],
        audit: "key",
        errors: ["conflict", "permission_required"],
      },
      schema: {
        operationId: "rollKey",
        summary: "Roll an API key",
        description: "Replaces the key with a new one that has the same rights, limits and idempotency records.",
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
      config: { operation: "keys.revoke", tenants: true, callers: keepers, audit: "key" },
      schema: {
        operationId: "revokeKey",
        summary: "Revoke an API key",
        description: "Revokes the key at once and permanently, on every node.",
        params: shapes.KeyParams,
        response: { 200: shapes.KeyShape },
      },
    },
    async (request) => await keys.revoke(callerOf(request).scope, request.params.id),
  );
}

function readRoutes(app: App, keys: ApiKeys): void {
  app.get(
    "/v1/keys",
    {
      config: { operation: "keys.list", tenants: true, callers: keepers },
      schema: {
        operationId: "listKeys",
        summary: "List API keys",
        description: "Returns the keys of the caller's environment, including revoked and expired keys, newest first.",
        querystring: shapes.KeyListQuery,
        response: { 200: shapes.KeyList },
      },
    },
    async (request) => await keys.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/keys/:id",
    {
      config: { operation: "keys.get", tenants: true, callers: keepers },
      schema: {
        operationId: "getKey",
        summary: "Show an API key",
        description: "Returns the key's rights and its last use, never the key itself.",
        params: shapes.KeyParams,
        response: { 200: shapes.KeyShape },
      },
    },
    async (request) => await keys.get(callerOf(request).scope, request.params.id),
  );
}
