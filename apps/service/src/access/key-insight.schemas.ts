import { Nullable, OneOf, strict, StringExample, Timestamp, Type, WireId } from "../lib/lib.ts";
import { KeyShape, readers } from "../accounts/accounts.ts";

const limitUse = {
  limit: Type.Integer({ examples: [1000] }),
  used: Type.Integer({
    description: "The calls in the window that ends now. The count is exact over all nodes.",
    examples: [12],
  }),
  remaining: Type.Integer({ examples: [988] }),
};
export const LimitUsesShape = Type.Object({
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
});

export const CallerShape = Type.Object(
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
    limits: LimitUsesShape,
  },
  { title: "Caller" },
);

export const OutcomesShape = Type.Object({
  total: Type.Integer({ examples: [120] }),
  succeeded: Type.Integer({ description: "Responses below 400." }),
  refused: Type.Integer({ description: "4xx responses, except 429." }),
  rate_limited: Type.Integer({ description: "429 responses." }),
  failed: Type.Integer({ description: "5xx responses." }),
});
export const UsageShape = Type.Object(
  {
    object: OneOf(["key_usage"]),
    key_id: WireId("key"),
    ...LimitUsesShape.properties,
    last_24_hours: Type.Object(
      {
        from: Timestamp,
        to: Timestamp,
        by_outcome: OutcomesShape,
        by_hour: Type.Array(Type.Object({ hour: Timestamp, ...OutcomesShape.properties }), {
          description: "24 entries, oldest first. The last entry is the current hour.",
        }),
        by_operation: Type.Array(
          Type.Object({ operation: StringExample("events.fire"), ...OutcomesShape.properties }),
          {
            description: "The operations with the most calls come first.",
          },
        ),
      },
      {
        description:
          "Calls with a valid credential of this key, and of the keys that it was rolled from and into. At most a few seconds behind.",
      },
    ),
  },
  { title: "KeyUsage" },
);

export const TestBody = Type.Object(
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
export const TestShape = Type.Object(
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
