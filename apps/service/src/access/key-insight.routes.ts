import { closed, Nullable, OneOf, Sample, Timestamp, Type, WireId } from "../lib/lib.ts";
import { KeyShape, callerOf, keepers, readers, unscoped } from "../accounts/workspaces/workspaces.ts";
import type { App } from "../accounts/workspaces/workspaces.ts";
import type { Gate } from "../gate/gate.ts";

const limitUse = {
  limit: Type.Integer({ examples: [1000] }),
  used: Type.Integer({ description: "Calls in the window that ends now; exact, over all nodes.", examples: [12] }),
  remaining: Type.Integer({ examples: [988] }),
};
const limitUses = {
  hour: Type.Object(limitUse, { description: "The key's own limit: the last 60 minutes, all operations together." }),
  minute: Type.Array(
    Type.Object({
      operation: Sample("events.fire", {
        description: "The limit's name; all that has none of its own shares `management.read` and `management.write`.",
      }),
      ...limitUse,
    }),
    { description: "The limits of operations: the last 60 seconds." },
  ),
};

const CallerShape = Type.Object(
  {
    object: OneOf(["caller"]),
    key: Nullable(Type.Object(KeyShape.properties, { description: "Null for a console session." })),
    member_id: Nullable(
      Sample("mem_7k2m9qaw01m7w57vdme87sc3xyc8pvq75s", {
        description: "The person as whom the caller acts; null for keys that are nobody's.",
      }),
    ),
    workspace: Type.Object({ id: WireId("ws"), object: OneOf(["workspace"]), name: Sample("Acme") }),
    environment: OneOf(["live", "sandbox"]),
    role: OneOf(readers.roles),
    actor_type: OneOf(["user", "service", "ai"]),
    scopes: Nullable(Type.Array(Sample("events:write"))),
    permissions: Type.Array(Sample("refunds")),
    limits: Type.Object(limitUses),
  },
  { title: "Caller" },
);

const outcomes = {
  total: Type.Integer({ examples: [120] }),
  succeeded: Type.Integer({ description: "Answered below 400." }),
  refused: Type.Integer({ description: "Answered 4xx, 429 apart." }),
  rate_limited: Type.Integer({ description: "Answered 429." }),
  failed: Type.Integer({ description: "Answered 5xx." }),
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
          description: "24 entries, the oldest first; the last is the hour that runs.",
        }),
        by_operation: Type.Array(Type.Object({ operation: Sample("events.fire"), ...outcomes }), {
          description: "The busiest first.",
        }),
      },
      {
        description:
          "Calls with a good credential of this key, of those it was rolled from and of those it was rolled into; a few seconds late at most.",
      },
    ),
  },
  { title: "KeyUsage" },
);

const TestBody = Type.Object(
  {
    operation: Sample("events.fire", {
      minLength: 1,
      maxLength: 200,
      description: "Its dotted name, such as `events.fire`.",
    }),
    ip: Type.Optional(
      Sample("203.0.113.20", {
        maxLength: 64,
        description: "Where the call comes from. Without it the allowlist is not asked.",
      }),
    ),
  },
  { ...closed, title: "KeyTrial" },
);
const TestShape = Type.Object(
  {
    object: OneOf(["key_test"]),
    key_id: WireId("key"),
    operation: Sample("events.fire"),
    allowed: Type.Boolean(),
    step: Type.Optional(
      OneOf(["signature", "permission", "rate_limit", "ip_allowlist"], "The gate's step that would refuse the call."),
    ),
    code: Type.Optional(Sample("key_read_only", { description: "The refusal's error code." })),
    detail: Type.Optional(Sample("This key may only read.", { description: "Why, in a sentence." })),
  },
  { title: "KeyTrialResult" },
);
const IdParams = Type.Object({ id: WireId("key") });

/** What a key may do and has done: the caller's own, and any key for who keeps them. */
export function keyInsightRoutes(app: App, { insight }: Gate): void {
  app.get(
    "/v1/me",
    {
      config: { operation: "me.get", callers: unscoped(readers) },
      schema: {
        operationId: "getCaller",
        summary: "Show the caller",
        description: "Who it is, what it may do, and what is left of its limits.",
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
        summary: "Show the use of a key",
        description: "What it has used of its limits, and its calls of the last 24 hours.",
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
        summary: "Try what a key may do",
        description:
          "Whether the gate would let a rightly signed call of this key in now; nothing is called or counted.",
        params: IdParams,
        body: TestBody,
        response: { 200: TestShape },
      },
    },
    async (request) => await insight.trial(callerOf(request).scope, request.params.id, request.body),
  );
}
