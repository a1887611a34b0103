import { closed, ListOf, Nullable, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";

const Headers = Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } });
const Filter = Type.Array(Type.String({ maxLength: 128 }), {
  minItems: 1,
  maxItems: 200,
  description: '["*"] for every event, or event names.',
});

const endpointFields = {
  url: Type.String({ minLength: 1, maxLength: 2048, description: "An https address on the public internet." }),
  events: Filter,
  active: Type.Optional(Type.Boolean({ default: true })),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  headers: Type.Optional(Headers),
  rate_limit_per_second: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000 }))),
  max_in_flight: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: 16 })),
};
export const EndpointBody = Type.Object(endpointFields, closed);
export const EndpointPatch = Type.Partial(Type.Object(endpointFields), { ...closed, minProperties: 1 });

const endpointView = {
  id: WireId("ep"),
  object: OneOf(["webhook_endpoint"]),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  description: Type.String(),
  headers: Headers,
  rate_limit_per_second: Nullable(Type.Integer()),
  max_in_flight: Type.Integer(),
  health: OneOf(["green", "amber", "red"]),
  failing_since: Nullable(Timestamp),
  disabled_reason: Nullable(
    Type.String({ description: "`gone` after a 410, `failing_for_days` after five days of failures." }),
  ),
  ...Owned,
};
export const EndpointView = Type.Object(endpointView);
export const EndpointWithSecret = Type.Object({
  ...endpointView,
  secret: Type.String({ description: "`whsec_…`; shown now and to an owner on reveal." }),
});
export const EndpointListView = ListOf(EndpointView);
export const EndpointListQuery = Type.Object(PageQuery, closed);

export const SecretView = Type.Object({
  secret: Type.String(),
  previous_secret: Type.Optional(Type.String()),
  previous_expires_at: Type.Optional(Timestamp),
});
/** The whole body may be left out. */
export const RegenerateBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 604_800, default: 0, description: "How long the old secret signs too." }),
      ),
    },
    closed,
  ),
);
export const ReplayFailedBody = Type.Object(
  { since: Timestamp, until: Timestamp, dry_run: Type.Optional(Type.Boolean()) },
  closed,
);
export const ReplayCount = Type.Object({ count: Type.Integer() });
export const ReplayJobView = Type.Object({ count: Type.Integer(), job_id: WireId("job") });
export const StatsView = Type.Object({
  delivered: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  pending: Type.Integer(),
  p50_ms: Nullable(Type.Number()),
  p95_ms: Nullable(Type.Number()),
});

const deliveryView = {
  id: WireId("dlv"),
  object: OneOf(["delivery"]),
  event: Type.String(),
  event_id: WireId("evt"),
  endpoint_id: WireId("ep"),
  state: OneOf(["pending", "delivered", "failed", "cancelled"]),
  light: Type.Unsafe<"green" | "amber" | "red" | null>({
    type: "string",
    enum: ["green", "amber", "red", null],
    nullable: true,
  }),
  attempt_count: Type.Integer(),
  next_attempt_at: Nullable(Timestamp),
  last_status_code: Nullable(Type.Integer()),
  last_error_class: Nullable(Type.String()),
  completed_at: Nullable(Timestamp),
  ...Owned,
};
export const DeliveryView = Type.Object(deliveryView);
const RequestView = Type.Object({ method: OneOf(["POST"]), url: Type.String(), headers: Headers, body: Type.String() });
export const DeliveryDetail = Type.Object({ ...deliveryView, request: Nullable(RequestView) });
export const DeliveryListView = ListOf(DeliveryView);
export const DeliveryListQuery = Type.Object(
  {
    state: Type.Optional(OneOf(["pending", "delivered", "failed", "cancelled"])),
    endpoint_id: Type.Optional(Type.String()),
    event: Type.Optional(Type.String()),
    status_code: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    created_after: Type.Optional(Type.String()),
    created_before: Type.Optional(Type.String()),
    q: Type.Optional(Type.String({ maxLength: 128, description: "A delivery's id, an event's id, or an event name." })),
    ...PageQuery,
  },
  closed,
);

export const AttemptView = Type.Object({
  id: WireId("att"),
  object: OneOf(["attempt"]),
  delivery_id: WireId("dlv"),
  number: Type.Integer(),
  trigger: OneOf(["ladder", "replay"]),
  started_at: Timestamp,
  status_code: Nullable(Type.Integer()),
  error_class: Nullable(Type.String()),
  error_detail: Nullable(Type.String()),
  latency_ms: Type.Object(
    { dns: Type.Number(), connect: Type.Number(), tls: Type.Number(), first_byte: Type.Number(), total: Type.Number() },
    { description: "Milliseconds." },
  ),
  resolved_ip: Nullable(Type.String()),
  response_headers: Nullable(Headers),
  response_snippet: Nullable(Type.String()),
  response_truncated: Type.Boolean(),
  ...Owned,
});
export const AttemptListView = ListOf(AttemptView);
