import {
  closed,
  ListOf,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";

const ERROR_CLASSES = [
  "http_status",
  "target_refused",
  "dns",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol",
  "redirect",
] as const;

const headers = (example: Record<string, string>, description: string, of: object = {}) =>
  Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string", ...of },
    description,
    examples: [example],
  });
const SentHeaders = headers(
  { Authorization: "Bearer 9f2c" },
  "Sent with each delivery, in addition to the service's own. The values are sealed. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same.",
  secret,
);
const ShownHeaders = headers(
  { Authorization: "[redacted]" },
  "The endpoint's own headers. The values are `[redacted]`.",
);
const PlainHeaders = headers({ Authorization: "Bearer 9f2c" }, "The headers with their values.");
const EventName = Sample("invoice.paid", { description: "The event's name." });
const ErrorClass = Type.Unsafe<string>({
  type: "string",
  enum: ERROR_CLASSES,
  description: "What went wrong; null where nothing did.",
});
const Filter = Type.Array(Sample("invoice.paid", { maxLength: 128 }), {
  minItems: 1,
  maxItems: 200,
  description: '["*"] for every event, or event names.',
});

const endpointFields = {
  url: Sample("https://hooks.example.com/junction", {
    minLength: 1,
    maxLength: 2048,
    description: "An https address on the public internet.",
  }),
  events: Filter,
  active: Type.Optional(Type.Boolean({ default: true, description: "Whether events are delivered to it." })),
  description: Type.Optional(Sample("Billing, production", { maxLength: 500, description: "For people." })),
  headers: Type.Optional(SentHeaders),
  rate_limit_per_second: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, maximum: 10_000, examples: [50], description: "Attempts a second; null: no limit." }),
    ),
  ),
  max_in_flight: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 256, default: 16, description: "Attempts under way at the same time." }),
  ),
};
export const EndpointBody = Type.Object(endpointFields, { ...closed, title: "NewWebhookEndpoint" });
export const EndpointPatch = Type.Partial(Type.Object(endpointFields), {
  ...closed,
  minProperties: 1,
  title: "WebhookEndpointChange",
});

const endpointView = {
  id: WireId("ep"),
  object: OneOf(["webhook_endpoint"]),
  url: Sample("https://hooks.example.com/junction"),
  events: Type.Array(EventName),
  active: Type.Boolean(),
  description: Sample("Billing, production"),
  headers: ShownHeaders,
  rate_limit_per_second: Nullable(Type.Integer({ examples: [50] })),
  max_in_flight: Type.Integer({ examples: [16] }),
  health: OneOf(["green", "amber", "red"], "Amber while attempts fail, red once the service deactivated it."),
  failing_since: Nullable(Timestamp),
  disabled_reason: Nullable(
    Sample("gone", { description: "`gone` after a 410, `failing_for_days` after five days of failures." }),
  ),
  ...Owned,
};
export const EndpointView = Type.Object(endpointView, { title: "WebhookEndpoint" });
export const Secret = Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  description: "`whsec_` and 32 bytes in base64. Shown when it is made, and to an owner on reveal.",
});
export const EndpointWithSecret = Type.Object(
  { ...endpointView, secret: Secret },
  { title: "WebhookEndpointWithSecret" },
);

export const SecretView = Type.Object(
  { secret: Secret, previous_secret: Type.Optional(Secret), previous_expires_at: Type.Optional(Timestamp) },
  { title: "SigningSecret" },
);
export const RevealedHeaders = Type.Object({ headers: PlainHeaders }, { title: "RevealedHeaders" });
/** Of rules and workflows. */
export const RevealedWebhooks = Type.Object(
  {
    webhooks: Type.Array(
      Type.Object(
        {
          path: Sample("/then/0", { description: "Where the webhook stands, an RFC 6901 pointer." }),
          url: Sample("https://hooks.example.com/junction"),
          headers: PlainHeaders,
        },
        { title: "RevealedWebhook" },
      ),
      { description: "The webhooks that have headers of their own." },
    ),
  },
  { title: "RevealedWebhooks" },
);
/** The whole body may be left out. */
export const RegenerateBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 604_800, default: 0, description: "How long the old secret signs too." }),
      ),
    },
    { ...closed, title: "SecretRegeneration" },
  ),
);
export const ReplayFailedBody = Type.Object(
  {
    since: Moment("Deliveries created from here on."),
    until: Moment("Deliveries created before this."),
    dry_run: Type.Optional(Type.Boolean({ description: "Only count them." })),
  },
  { ...closed, title: "FailedReplay" },
);
const count = Type.Integer({ minimum: 0, description: "How many deliveries.", examples: [42] });
export const ReplayCount = Type.Object({ count }, { title: "ReplayCount" });
export const ReplayJobView = Type.Object({ count, job_id: WireId("job") }, { title: "ReplayJob" });
const lastDay = {
  hours: Type.Array(
    Type.Object(
      { hour: Timestamp, delivered: Type.Integer({ examples: [53] }), failed: Type.Integer({ examples: [1] }) },
      { title: "EndpointHour" },
    ),
    { description: "Attempts by hour, oldest first: 24 of them, the one that runs included." },
  ),
  success_rate: Nullable(Type.Number({ examples: [0.981], description: "Of the attempts of these hours." })),
  next_attempt_at: Nullable(Timestamp),
};
const SummaryView = Type.Object(
  {
    ...lastDay,
    p50_ms: Nullable(Type.Number({ description: "Median of the attempts' time.", examples: [48.5] })),
    p95_ms: Nullable(Type.Number({ description: "95th percentile, within 6 percent.", examples: [210.4] })),
    pending: Type.Integer({ description: "Counted to 1000.", examples: [12] }),
    pending_capped: Type.Boolean({ description: "Whether there are more." }),
  },
  { title: "WebhookEndpointSummary" },
);
export const StatsView = Type.Object(
  {
    delivered: Type.Integer({ examples: [1280] }),
    failed: Type.Integer({ examples: [3] }),
    cancelled: Type.Integer({ examples: [0] }),
    pending: Type.Integer({ examples: [12] }),
    p50_ms: Nullable(Type.Number({ description: "Median of the attempts' time.", examples: [48.5] })),
    p95_ms: Nullable(Type.Number({ description: "95th percentile.", examples: [210.4] })),
    ...lastDay,
  },
  { title: "WebhookEndpointStats" },
);

export const EndpointListView = ListOf(
  Type.Object({ ...endpointView, stats: Type.Optional(SummaryView) }, { title: "ListedWebhookEndpoint" }),
);
export const EndpointListQuery = Type.Object(
  {
    with: Type.Optional(OneOf(["stats"], "`stats`: each endpoint's last 24 hours.")),
    ...PageQuery,
  },
  closed,
);

const deliveryView = {
  id: WireId("dlv"),
  object: OneOf(["delivery"]),
  event: EventName,
  event_id: WireId("evt"),
  endpoint_id: WireId("ep"),
  state: OneOf(["pending", "delivered", "failed", "cancelled"]),
  light: Type.Unsafe<"green" | "amber" | "red" | null>({
    type: "string",
    enum: ["green", "amber", "red", null],
    nullable: true,
    description: "Green delivered, amber retrying, red failed; null before the first attempt and when cancelled.",
  }),
  attempt_count: Type.Integer({ examples: [2] }),
  next_attempt_at: Nullable(Timestamp),
  last_status_code: Nullable(Type.Integer({ examples: [503] })),
  last_error_class: Nullable(ErrorClass),
  completed_at: Nullable(Timestamp),
  ...Owned,
};
export const DeliveryView = Type.Object(deliveryView, { title: "Delivery" });
const RequestView = Type.Object(
  {
    method: OneOf(["POST"]),
    url: Sample("https://hooks.example.com/junction"),
    headers: headers({ "X-Service-Event": "invoice.paid" }, "As sent, with the secrets' values left out."),
    body: Sample('{"event":"invoice.paid","data":{}}', { description: "The exact bytes, as text." }),
  },
  { title: "SentRequest" },
);
export const DeliveryDetail = Type.Object(
  {
    ...deliveryView,
    request: Nullable(RequestView),
    ladder_seconds: Type.Array(Type.Number({ examples: [60] }), {
      description: "The waits after the attempts of the ladder; one attempt more than these, and it is parked.",
    }),
  },
  { title: "DeliveryDetail" },
);
export const DeliveryListView = ListOf(DeliveryView);
const deliveryFilter = {
  endpoint_id: Type.Optional(WireId("ep")),
  event: Type.Optional(EventName),
  status_code: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: "Of the last attempt.", examples: [503] }),
  ),
  status_class: Type.Optional(OneOf(["1xx", "2xx", "3xx", "4xx", "5xx"], "Of the last attempt's status.")),
  error_class: Type.Optional(OneOf(ERROR_CLASSES, "What went wrong with the last attempt.")),
  attempt_count: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 32_767, description: "So many attempts were made.", examples: [6] }),
  ),
  created_after: Type.Optional(Moment("Created from here on.")),
  created_before: Type.Optional(Moment("Created before this.")),
};
export const DeliveryListQuery = Type.Object(
  {
    state: Type.Optional(OneOf(["pending", "delivered", "failed", "cancelled"], "Where the delivery stands.")),
    ...deliveryFilter,
    payload: Type.Optional(
      Sample("$.order.id=10482", {
        maxLength: 700,
        description:
          "A path into the event's data and the value there, as it is written. A page looks into 5000 deliveries at most: it may be short and have a next one all the same.",
      }),
    ),
    q: Type.Optional(
      Sample("invoice.paid", { maxLength: 128, description: "A delivery's id, an event's id, or an event name." }),
    ),
    ...PageQuery,
  },
  closed,
);

export const AttemptView = Type.Object(
  {
    id: WireId("att"),
    object: OneOf(["attempt"]),
    delivery_id: WireId("dlv"),
    number: Type.Integer({ minimum: 1 }),
    trigger: OneOf(["ladder", "replay"]),
    started_at: Timestamp,
    status_code: Nullable(Type.Integer({ examples: [503] })),
    error_class: Nullable(ErrorClass),
    error_detail: Nullable(Sample("The receiver answered 503.")),
    latency_ms: Type.Object(
      {
        dns: Type.Number(),
        connect: Type.Number(),
        tls: Type.Number(),
        first_byte: Type.Number(),
        total: Type.Number(),
      },
      {
        description: "Milliseconds.",
        title: "Latency",
        examples: [{ dns: 1.2, connect: 8.4, tls: 17.9, first_byte: 61.3, total: 61.9 }],
      },
    ),
    resolved_ip: Nullable(Sample("203.0.113.20")),
    response_headers: Nullable(headers({ "content-type": "text/plain" }, "Of the answer.")),
    response_snippet: Nullable(Sample("upstream timed out", { description: "The first KiB of the answer." })),
    response_truncated: Type.Boolean(),
    ...Owned,
  },
  { title: "Attempt" },
);
export const AttemptListView = ListOf(AttemptView);
export const AttemptListQuery = Type.Object(PageQuery, closed);

export const ReplayBody = Type.Object(
  {
    filter: Type.Optional(
      Type.Object(
        {
          state: Type.Optional(OneOf(["failed", "delivered"], "Without it, failed ones.")),
          ...deliveryFilter,
        },
        { ...closed, title: "ReplayFilter" },
      ),
    ),
    delivery_ids: Type.Optional(Type.Array(WireId("dlv"), { minItems: 1, maxItems: 1000 })),
    dry_run: Type.Optional(Type.Boolean({ description: "Only count them." })),
  },
  { ...closed, title: "NewReplay", examples: [{ filter: { status_class: "5xx" }, dry_run: false }] },
);
export const ReplayTally = Type.Object(
  { count, capped: Type.Boolean({ description: "Whether there are more than 100 000." }) },
  { title: "ReplayTally" },
);
export const ReplayView = Type.Object(
  {
    id: WireId("job"),
    object: OneOf(["replay"]),
    state: OneOf(["running", "finished", "cancelled"]),
    total: Type.Integer({ minimum: 0, description: "How many there were to replay.", examples: [420] }),
    total_capped: Type.Boolean({ description: "Whether there were more." }),
    done: Type.Integer({ minimum: 0, description: "How many were set going again so far.", examples: [400] }),
    endpoint_id: Nullable(WireId("ep")),
    ended_at: Nullable(Timestamp),
    ...Owned,
  },
  { title: "Replay" },
);
export const ReplayListView = ListOf(ReplayView);
export const ReplayListQuery = Type.Object(PageQuery, closed);
