import { t } from "../lib/lib.ts";
import { KeyShape, readers } from "../accounts/accounts.ts";

const limitUse = {
  limit: t.Integer({ examples: [1000] }),
  used: t.Integer({
    description: "The calls in the window that ends now. The count is exact over all nodes.",
    examples: [12],
  }),
  remaining: t.Integer({ examples: [988] }),
};
export const LimitUsesShape = t.Object({
  hour: t.Object(limitUse, { description: "The limit of the key, over the last 60 minutes and all operations." }),
  minute: t.Array(
    t.Object({
      operation: t.StringExample("events.fire", {
        description:
          "The name of the limit. Operations without a limit of their own share `management.read` and `management.write`.",
      }),
      ...limitUse,
    }),
    { description: "The limits of operations, over the last 60 seconds." },
  ),
});

export const CallerShape = t.Object(
  {
    object: t.OneOf(["caller"]),
    key: t.Nullable(
      t.Object(KeyShape.properties, { description: "The key of the caller. Null for a console session." }),
    ),
    member_id: t.Nullable(
      t.StringExample("mem_7k2m9qaw01m7w57vdme87sc3xyc8pvq75s", {
        description: "The person that the caller acts for. Null for keys without a person.",
      }),
    ),
    workspace: t.Object({ id: t.WireId("ws"), object: t.OneOf(["workspace"]), name: t.StringExample("Acme") }),
    environment: t.OneOf(["live", "sandbox"]),
    role: t.OneOf(readers.roles),
    actor_type: t.OneOf(["user", "service", "ai"]),
    scopes: t.Nullable(t.Array(t.StringExample("events:write"))),
    permissions: t.Array(t.StringExample("refunds")),
    limits: LimitUsesShape,
  },
  { title: "Caller" },
);

export const OutcomesShape = t.Object({
  total: t.Integer({ examples: [120] }),
  succeeded: t.Integer({ description: "Responses below 400." }),
  refused: t.Integer({ description: "4xx responses, except 429." }),
  rate_limited: t.Integer({ description: "429 responses." }),
  failed: t.Integer({ description: "5xx responses." }),
});
export const UsageShape = t.Object(
  {
    object: t.OneOf(["key_usage"]),
    key_id: t.WireId("key"),
    ...LimitUsesShape.properties,
    last_24_hours: t.Object(
      {
        from: t.Timestamp,
        to: t.Timestamp,
        by_outcome: OutcomesShape,
        by_hour: t.Array(t.Object({ hour: t.Timestamp, ...OutcomesShape.properties }), {
          description: "24 entries, oldest first. The last entry is the current hour.",
        }),
        by_operation: t.Array(t.Object({ operation: t.StringExample("events.fire"), ...OutcomesShape.properties }), {
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

export const TestBody = t.Object(
  {
    operation: t.StringExample("events.fire", {
      minLength: 1,
      maxLength: 200,
      description: "The dotted name of the operation, such as `events.fire`.",
    }),
    ip: t.Optional(
      t.StringExample("203.0.113.20", {
        maxLength: 64,
        description: "The IP address of the call. If it is omitted, the allowlist is not checked.",
      }),
    ),
  },
  { ...t.strict, title: "KeyTrial" },
);
export const TestShape = t.Object(
  {
    object: t.OneOf(["key_test"]),
    key_id: t.WireId("key"),
    operation: t.StringExample("events.fire"),
    allowed: t.Boolean(),
    step: t.Optional(
      t.OneOf(
        ["signature", "permission", "rate_limit", "ip_allowlist"],
        "The access check that would refuse the call.",
      ),
    ),
    code: t.Optional(t.StringExample("key_read_only", { description: "The error code of the refusal." })),
    detail: t.Optional(t.StringExample("This key is read-only.", { description: "The reason, as a sentence." })),
  },
  { title: "KeyTrialResult" },
);
