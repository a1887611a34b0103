import { callerOf, route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { keepers } from "../callers/callers.ts";
import * as shapes from "./keys.schemas.ts";
import type { ApiKeys } from "./api-keys.ts";

export function keyRoutes(app: App, keys: ApiKeys): void {
  readRoutes(app, keys);
  endRoutes(app, keys);

  route(app, "POST /v1/keys", {
    config: {
      operation: "keys.create",
      tenants: true,
      callers: keepers,
      audit: "key",
      errors: ["permission_required"],
    },
    operationId: "createKey",
    summary: "Create an API key",
    description: "The key cannot have more rights than the caller. Its text is shown only in this response.",
    body: shapes.KeyBody,
    response: { 201: shapes.NewKeyShape },
    handler: async (request) => await keys.create(callerOf(request).key, request.body),
  });

  route(app, "PATCH /v1/keys/:id", {
    config: {
      operation: "keys.update",
      tenants: true,
      callers: keepers,
      doesWith: { expires_at: "keys.revoke" },
      audit: "key",
      errors: ["conflict", "permission_required"],
    },
    operationId: "updateKey",
    summary: "Change an API key",
    description: "Only the members in the request change. The next request of the key follows the change.",
    params: shapes.KeyParams,
    body: shapes.KeyPatchBody,
    response: { 200: shapes.ChangedKeyShape },
    handler: async (request) => await keys.change(callerOf(request).key, request.params.id, request.body),
  });
}

function endRoutes(app: App, keys: ApiKeys): void {
  route(app, "POST /v1/keys/:id/roll", {
    config: {
      operation: "keys.roll",
      tenants: true,
      callers: keepers,
      does: ["keys.revoke"],
      audit: "key",
      errors: ["conflict", "permission_required"],
    },
    operationId: "rollKey",
    summary: "Roll an API key",
    description: "Replaces the key with a new one that has the same rights, limits and idempotency records.",
    params: shapes.KeyParams,
    body: shapes.RollBody,
    response: { 201: shapes.NewKeyShape },
    handler: async (request) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      return await keys.roll(callerOf(request).key, request.params.id, overlapSeconds);
    },
  });

  route(app, "POST /v1/keys/:id/revoke", {
    config: { operation: "keys.revoke", tenants: true, callers: keepers, audit: "key" },
    operationId: "revokeKey",
    summary: "Revoke an API key",
    description: "Revokes the key at once and permanently, on every node.",
    params: shapes.KeyParams,
    response: { 200: shapes.KeyShape },
    handler: async (request) => await keys.revoke(callerOf(request).scope, request.params.id),
  });
}

function readRoutes(app: App, keys: ApiKeys): void {
  route(app, "GET /v1/keys", {
    config: { operation: "keys.list", tenants: true, callers: keepers },
    operationId: "listKeys",
    summary: "List API keys",
    description: "Returns the keys of the caller's environment, including revoked and expired keys, newest first.",
    querystring: shapes.KeyListQuery,
    response: { 200: shapes.KeyList },
    handler: async (request) => await keys.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/keys/:id", {
    config: { operation: "keys.get", tenants: true, callers: keepers },
    operationId: "getKey",
    summary: "Show an API key",
    description: "Returns the key's rights and its last use, never the key itself.",
    params: shapes.KeyParams,
    response: { 200: shapes.KeyShape },
    handler: async (request) => await keys.get(callerOf(request).scope, request.params.id),
  });
}
