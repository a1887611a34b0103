import { closed, ListOf, Nullable, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";
import { callerOf } from "./caller.routes.ts";
import type { App } from "./caller.routes.ts";
import type { Workspaces } from "./workspaces.ts";

const keyFields = {
  id: WireId("key"),
  object: OneOf(["api_key"]),
  name: Type.String(),
  prefix_hint: Type.String(),
  permission_mode: OneOf(["all", "read_only", "restricted"]),
  blocked_actions: Type.Array(Type.String()),
  role: Type.String(),
  actor_type: OneOf(["user", "service", "ai"]),
  scopes: Nullable(Type.Array(Type.String())),
  permissions: Type.Array(Type.String()),
  rate_limit_per_hour: Type.Integer(),
  ip_allowlist: Type.Array(Type.String()),
  require_signature: Type.Boolean(),
  accept_body_signature: Type.Boolean(),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String()),
  revoked_at: Nullable(Timestamp),
  ...Owned,
};
const KeyShape = Type.Object(keyFields);
const NewKeyShape = Type.Object({
  ...keyFields,
  key: Type.String({ description: "The key itself, shown this once." }),
});
const KeyList = ListOf(KeyShape);
const Pattern = Type.String({
  pattern: "^(\\*|[a-z0-9_]+(\\.[a-z0-9_]+)*(\\.\\*)?)$",
  description: "An exact name, `prefix.*`, or `*`.",
});
const KeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    permission_mode: OneOf(["all", "read_only", "restricted"]),
    blocked_actions: Type.Optional(Type.Array(Pattern, { maxItems: 200 })),
    role: Type.Optional(OneOf(["admin", "developer", "operator", "viewer", "ai"])),
    actor_type: Type.Optional(OneOf(["user", "service", "ai"])),
    rate_limit_per_hour: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
    ip_allowlist: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
    require_signature: Type.Optional(Type.Boolean()),
  },
  closed,
);
const IdParams = Type.Object({ id: Type.String() });
const KEEPERS = ["owner", "admin"] as const;

export function keyRoutes(app: App, workspaces: Workspaces): void {
  app.post(
    "/v1/keys",
    {
      config: { operation: "keys.create", roles: KEEPERS },
      schema: { operationId: "createKey", body: KeyBody, response: { 201: NewKeyShape } },
    },
    async (request, reply) =>
      await reply.code(201).send(await workspaces.createKey(callerOf(request).key, request.body)),
  );

  app.get(
    "/v1/keys",
    {
      config: { operation: "keys.list", roles: KEEPERS },
      schema: { operationId: "listKeys", querystring: Type.Object(PageQuery, closed), response: { 200: KeyList } },
    },
    async (request) => await workspaces.listKeys(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/keys/:id",
    {
      config: { operation: "keys.get", roles: KEEPERS },
      schema: { operationId: "getKey", params: IdParams, response: { 200: KeyShape } },
    },
    async (request) => await workspaces.getKey(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/keys/:id/revoke",
    {
      config: { operation: "keys.revoke", roles: KEEPERS },
      schema: { operationId: "revokeKey", params: IdParams, response: { 200: KeyShape } },
    },
    async (request) => await workspaces.revokeKey(callerOf(request).scope, request.params.id),
  );
}
