import { strict, Nullable, OneOf, StringExample, Timestamp, Type, WireId } from "../lib/lib.ts";
import { callerOf, keepers, KeyShape, readers, unscoped } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { AccessChecks } from "./types.ts";

const limitUse = {
  limit: Type.Integer({ examples: [1000] }),
  used: Type.Integer({
    description: "The calls in the window that ends now. The count is exact over all nodes.",
    examples: [12],
  }),
  remaining: Type.Integer({ examples: [988] }),
};
const limitUses = {
  hour: Type.Object(limitUse, { description: "The limit of the key, over the last 60 minutes and all operations." }),
  minute: Type.Array(
    Type.Object({
      operation: StringExample("events.fire", {
        description:
          "The name of the limit. Operations without a limit of their own share `management.read` and `management.write`.",
      }),
      ...limitUse,
    }),
    { description: "The limits of operations, over the last 60 seconds." },
  ),
};

const CallerShape = Type.Object(
  {
    object: OneOf(["caller"]),
    key: Nullable(
      Type.Object(KeyShape.properties, { description: "The key of the caller. Null for a console session." }),
    ),
    member_id: Nullable(
      StringExample("mem_7k2m9qaw01m7w57vdme87sc3xyc8pvq75s", {
        description: "The person that the caller acts for. Null for keys without a person.",
      }),
    ),
    workspace: Type.Object({ id: WireId("ws"), object: OneOf(["workspace"]), name: StringExample("Acme") }),
    environment: OneOf(["live", "sandbox"]),
    role: OneOf(readers.roles),
    actor_type: OneOf(["user", "service", "ai"]),
    scopes: Nullable(Type.Array(StringExample("events:write"))),
    permissions: Type.Array(StringExample("refunds")),
    limits: Type.Object(limitUses),
  },
  { title: "Caller" },
);

const outcomes = {
  total: Type.Integer({ examples: [120] }),
  succeeded: Type.Integer({ description: "Responses below 400." }),
  refused: Type.Integer({ description: "4xx responses, except 429." }),
  rate_limited: Type.Integer({ description: "429 responses." }),
  failed: Type.Integer({ description: "5xx responses." }),
};
const UsageShape = Type.Object(
  {
    object: OneOf(["key_usage"]),
    key_id: WireId("key"),
    ...limitUses,
    last_24_hours: Type.Object(
      {
        from: Timestamp,
        to: Timestamp,
        by_outcome: Type.Object(outcomes),
        by_hour: Type.Array(Type.Object({ hour: Timestamp, ...outcomes }), {
          description: "24 entries, oldest first. The last entry is the current hour.",
        }),
        by_operation: Type.Array(Type.Object({ operation: StringExample("events.fire"), ...outcomes }), {
          description: "The operations with the most calls come first.",
        }),
      },
      {
        description:
          "Calls with a valid credential of this key, and of the keys that it was rolled from and into. At most a few seconds behind.",
      },
    ),
  },
  { title: "KeyUsage" },
);

const TestBody = Type.Object(
  {
    operation: StringExample("events.fire", {
      minLength: 1,
      maxLength: 200,
      description: "The dotted name of the operation, such as `events.fire`.",
    }),
    ip: Type.Optional(
      StringExample("203.0.113.20", {
        maxLength: 64,
        description: "The IP address of the call. If it is omitted, the allowlist is not checked.",
      }),
    ),
  },
  { ...strict, title: "KeyTrial" },
);
const TestShape = Type.Object(
  {
    object: OneOf(["key_test"]),
    key_id: WireId("key"),
    operation: StringExample("events.fire"),
    allowed: Type.Boolean(),
    step: Type.Optional(
      OneOf(["signature", "permission", "rate_limit", "ip_allowlist"], "The access check that would refuse the call."),
    ),
    code: Type.Optional(StringExample("key_read_only", { description: "The error code of the refusal." })),
    detail: Type.Optional(StringExample("This key is read-only.", { description: "The reason, as a sentence." })),
  },
  { title: "KeyTrialResult" },
);
const IdParams = Type.Object({ id: WireId("key") });

/** Shows the rights and the usage of the caller's own key, and of any key to callers that manage keys. */
export function keyInsightRoutes(app: App, { insight }: AccessChecks): void {
  app.get(
    "/v1/me",
    {
      config: { operation: "me.get", tenants: true, callers: unscoped(readers) },
      schema: {
        operationId: "getCaller",
        summary: "Show the caller",
        description: "Returns the caller's identity, rights and remaining limits.",
        response: { 200: CallerShape },
      },
    },
    async (request) => await insight.me(callerOf(request)),
  );

  app.get(
    "/v1/keys/:id/usage",
    {
      config: { operation: "keys.usage", callers: keepers },
      schema: {
        operationId: "getKeyUsage",
        summary: "Show a key's usage",
        description: "Returns how much of its limits the key has used, and its calls of the last 24 hours.",
        params: IdParams,
        response: { 200: UsageShape },
      },
    },
    async (request) => await insight.usage(callerOf(request).scope, request.params.id),
  );

  app.post(
    "/v1/keys/:id/test",
    {
      config: { operation: "keys.test", callers: keepers, access: "read", errors: ["action_unknown"] },
      schema: {
        operationId: "testKey",
        summary: "Test an API key",
        description:
          "Returns whether a correctly signed call of this key would pass the access checks now. Nothing is called or counted.",
        params: IdParams,
        body: TestBody,
        response: { 200: TestShape },
      },
    },
    async (request) => await insight.trial(callerOf(request).scope, request.params.id, request.body),
  );
}
