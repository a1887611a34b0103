import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { Channels, Metadata, Uid } from "../../events/events.ts";
import { SHOWN_WIRES, WIRES } from "../endpoints/wire.ts";
import { PinnedVersionsView } from "../endpoints/pinned-versions.ts";
import { ENDPOINT_KINDS } from "../endpoints/kind.ts";
import { OrderingView } from "../endpoints/ordering.ts";
import { EndpointAuthView } from "../requests/endpoint-auth.ts";
import { PreviousPublicKey, PublicKey, SignaturesView } from "../endpoints/signature-families.ts";
import { RetryScheduleView } from "../endpoints/own-schedule.ts";
import { FilterView } from "../endpoints/filters.schemas.ts";
import { TransformVersion, TransformView } from "../endpoints/transforms.schemas.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";

const DELIVERY_STATES = ["pending", "delivered", "failed", "cancelled", "filtered"] as const;
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
  "transform",
  "too_expensive",
  "auth",
  "proxy",
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
  "Headers that are sent with each delivery, in addition to those of the service. The values are stored encrypted. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same.",
  secret,
);
const ShownHeaders = headers(
  { Authorization: "[redacted]" },
  "The endpoint's own headers. The values are `[redacted]`.",
);
const PlainHeaders = headers({ Authorization: "Bearer 9f2c" }, "The headers with their values.");
const EventName = StringExample("invoice.paid", { description: "The name of the event." });
const ErrorClass = Type.Unsafe<string>({
  type: "string",
  enum: ERROR_CLASSES,
  description:
    "The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed.",
});
const Subscribed = Type.Array(StringExample("invoice.paid", { maxLength: 128 }), {
  minItems: 1,
  maxItems: 200,
  description:
    "The events that the endpoint subscribes to: names, patterns such as `order.*` for all events below a prefix, or `*` for all events except system events.",
});

const EndpointTenant = Nullable(
  Tenant(
    "Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed.",
  ),
);

const KIND =
  "`webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. The kind cannot be changed.";
const WireForm = OneOf(
  WIRES,
  "The form of the requests. `svix`: the body is the data alone, byte for byte, with `svix-id`, `svix-timestamp` and `svix-signature` and no `X-Service-` headers, for receivers that verify with a library of Svix. Default: `service`.",
);
const ShownWireForm = OneOf(
  SHOWN_WIRES,
  "The form of the requests. `mcp`: the endpoint belongs to an AI client, which subscribed with `events/subscribe`. No one else can change it.",
);
const EndpointChannels = Type.Array(Channels.items, {
  maxItems: 10,
  description: "The endpoint gets only the events that have one of these channels. Empty: all events.",
});

const URL = {
  minLength: 1,
  maxLength: 2048,
  description: "An https URL on the public internet. Required for kind `webhook`.",
};

const EndpointName = StringExample("billing", {
  minLength: 1,
  maxLength: 200,
  description:
    "The name by which configuration files refer to the endpoint. Null: the host of the URL, or `pull` for that kind.",
});

const endpointFields = {
  url: Type.Optional(StringExample("https://hooks.example.com/junction", URL)),
  events: Subscribed,
  active: Type.Optional(Type.Boolean({ default: true, description: "Whether events are delivered to the endpoint." })),
  description: Type.Optional(
    StringExample("Billing, production", { maxLength: 500, description: "A description for people." }),
  ),
  headers: Type.Optional(SentHeaders),
  rate_limit_per_second: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        examples: [50],
        description: "The maximum number of attempts per second. Null: no limit.",
      }),
    ),
  ),
  max_in_flight: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 256, default: 16, description: "The maximum number of concurrent attempts." }),
  ),
  tenant: Type.Optional(EndpointTenant),
  filter: Type.Optional(FilterView),
  transform: Type.Optional(TransformView),
  event_versions: Type.Optional(PinnedVersionsView),
  kind: Type.Optional(OneOf(ENDPOINT_KINDS, `${KIND} Default: \`webhook\`.`)),
  ordering: Type.Optional(OrderingView),
  retry_schedule: Type.Optional(RetryScheduleView),
  auth: Type.Optional(EndpointAuthView),
  signatures: Type.Optional(SignaturesView),
  wire: Type.Optional(WireForm),
  channels: Type.Optional(EndpointChannels),
  metadata: Type.Optional(Metadata),
  uid: Type.Optional(Nullable(Uid("the endpoint"))),
  name: Type.Optional(Nullable(EndpointName)),
};
export const EndpointBody = Type.Object(
  {
    ...endpointFields,
    // SDKs keep its place among the arguments, from when each endpoint had one.
    url: Type.Optional(StringExample("https://hooks.example.com/junction", { ...URL, "x-was-required": true })),
  },
  { ...strict, title: "NewWebhookEndpoint" },
);
export const EndpointPatch = Type.Partial(Type.Object(endpointFields), {
  ...strict,
  minProperties: 1,
  title: "WebhookEndpointChange",
});

const endpointView = {
  id: WireId("ep"),
  object: OneOf(["webhook_endpoint"]),
  kind: OneOf(ENDPOINT_KINDS, KIND),
  name: EndpointName,
  url: Nullable(StringExample("https://hooks.example.com/junction", { description: "Null for kind `pull`." })),
  events: Type.Array(EventName),
  active: Type.Boolean(),
  description: StringExample("Billing, production"),
  headers: ShownHeaders,
  rate_limit_per_second: Nullable(Type.Integer({ examples: [50] })),
  max_in_flight: Nullable(Type.Integer({ examples: [16], description: "Null for kind `pull`." })),
  tenant: EndpointTenant,
  filter: FilterView,
  transform: TransformView,
  transform_version: TransformVersion,
  event_versions: PinnedVersionsView,
  ordering: OrderingView,
  retry_schedule: RetryScheduleView,
  auth: EndpointAuthView,
  certificate_expires_at: Nullable(
    Type.String({
      format: "date-time",
      description: "The end of the validity of the certificate in `auth`. Null without one.",
    }),
  ),
  signatures: SignaturesView,
  public_key: PublicKey,
  previous_public_key: PreviousPublicKey,
  wire: ShownWireForm,
  channels: EndpointChannels,
  metadata: Metadata,
  uid: Nullable(Uid("the endpoint")),
  external_ref: Nullable(
    StringExample("ep_2cUYMGXSAdfmUhHvSBPSsWBsvD8", {
      description: "The id that the endpoint had in the product that it was imported from. Null: it was not imported.",
    }),
  ),
  health: OneOf(
    ["green", "amber", "red"],
    "Amber while attempts fail. Red after the service deactivated the endpoint.",
  ),
  failing_since: Nullable(Timestamp),
  disabled_reason: Nullable(
    StringExample("gone", { description: "`gone` after a 410, `failing_for_days` after five days of failures." }),
  ),
  inactive_since: Nullable(
    Type.String({
      format: "date-time",
      examples: ["2026-11-23T10:00:00.000Z"],
      description:
        "Since when the endpoint gets no new events. Null while it is active. A backfill sends what it missed.",
    }),
  ),
  ...ownershipFields,
};
export const EndpointView = Type.Object(endpointView, { title: "WebhookEndpoint" });
export const Secret = StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  description: "`whsec_` and 32 bytes in base64. Shown when the secret is created, and to owners on request.",
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
/** The webhooks of a rule or a workflow, with the values of their headers. */
export const RevealedWebhooks = Type.Object(
  {
    webhooks: Type.Array(
      Type.Object(
        {
          path: StringExample("/then/0", { description: "The position of the webhook, as an RFC 6901 pointer." }),
          url: StringExample("https://hooks.example.com/junction"),
          headers: PlainHeaders,
        },
        { title: "RevealedWebhook" },
      ),
      { description: "The webhooks that have custom headers." },
    ),
  },
  { title: "RevealedWebhooks" },
);
/** The body of a secret regeneration. The whole body may be omitted. */
export const RegenerateBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "Overlap of both secrets, in seconds.",
        }),
      ),
    },
    { ...strict, title: "SecretRegeneration" },
  ),
);
export const retransform = Type.Optional(
  Type.Boolean({
    default: false,
    description: "Whether the transformation of the endpoint runs again. Otherwise, the same bytes are sent again.",
  }),
);
export const ReplayFailedBody = Type.Object(
  {
    since: DateTimeFilter("Deliveries created at or after this time."),
    until: DateTimeFilter("Deliveries created before this time."),
    include_pending: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether pending deliveries whose retry waits are sent now too. Their schedule continues from there.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only count the deliveries." })),
    retransform,
  },
  { ...strict, title: "FailedReplay" },
);
export const BackfillBody = Type.Object(
  {
    from: DateTimeFilter("Events at or after this time."),
    to: Type.Optional(DateTimeFilter("Events before this time. Default: now.")),
    events: Type.Optional(
      Type.Array(StringExample("invoice.paid", { maxLength: 128 }), {
        minItems: 1,
        maxItems: 200,
        description: "Names or patterns within the events that the endpoint subscribes to. Default: all of them.",
      }),
    ),
    missing_only: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Whether only events are sent that the endpoint has no delivery of. Each of them is sent once, regardless of other backfills. False: all events are sent again, as new deliveries.",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only count the events." })),
  },
  { ...strict, title: "NewBackfill" },
);
export const count = Type.Integer({ minimum: 0, description: "The number of deliveries.", examples: [42] });
export const ReplayCount = Type.Object({ count }, { title: "ReplayCount" });
export const ReplayJobView = Type.Object({ count, job_id: WireId("job") }, { title: "ReplayJob" });
const capped = Type.Optional(Type.Boolean({ description: "Present and true if there may be more." }));
export const BackfillCount = Type.Object({ count, capped }, { title: "BackfillCount" });
export const BackfillJobView = Type.Object({ count, capped, job_id: WireId("job") }, { title: "BackfillJob" });
const lastDay = {
  hours: Type.Array(
    Type.Object(
      { hour: Timestamp, delivered: Type.Integer({ examples: [53] }), failed: Type.Integer({ examples: [1] }) },
      { title: "EndpointHour" },
    ),
    { description: "The attempts by hour, oldest first: 24 hours, including the current one." },
  ),
  success_rate: Nullable(
    Type.Number({ examples: [0.981], description: "The proportion of successful attempts in these hours." }),
  ),
  next_attempt_at: Nullable(Timestamp),
  filtered: Type.Integer({
    examples: [42],
    description:
      "The number of events in these hours that the endpoint subscribes to, but that its filter or its transformation kept from it. A few seconds old.",
  }),
};
const SummaryView = Type.Object(
  {
    ...lastDay,
    p50_ms: Nullable(
      Type.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: Nullable(
      Type.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds, accurate to 6 percent.",
        examples: [210.4],
      }),
    ),
    pending: Type.Integer({ description: "The number of pending deliveries, counted up to 1000.", examples: [12] }),
    pending_capped: Type.Boolean({ description: "Whether there are more than 1000 pending deliveries." }),
  },
  { title: "WebhookEndpointSummary" },
);
export const StatsView = Type.Object(
  {
    delivered: Type.Integer({ examples: [1280] }),
    failed: Type.Integer({ examples: [3] }),
    cancelled: Type.Integer({ examples: [0] }),
    pending: Type.Integer({ examples: [12] }),
    p50_ms: Nullable(
      Type.Number({ description: "The median duration of the attempts, in milliseconds.", examples: [48.5] }),
    ),
    p95_ms: Nullable(
      Type.Number({
        description: "The 95th percentile of the attempts' duration, in milliseconds.",
        examples: [210.4],
      }),
    ),
    ...lastDay,
  },
  { title: "WebhookEndpointStats" },
);

export const EndpointListView = ListOf(
  Type.Object({ ...endpointView, stats: Type.Optional(SummaryView) }, { title: "ListedWebhookEndpoint" }),
);
export const EndpointListQuery = Type.Object(
  {
    tenant: Type.Optional(Tenant("The tenant of the endpoints.")),
    with: Type.Optional(OneOf(["stats"], "`stats` adds the figures of each endpoint's last 24 hours.")),
    ...PageQuery,
  },
  strict,
);

const deliveryView = {
  id: WireId("dlv"),
  object: OneOf(["delivery"]),
  event: EventName,
  event_id: WireId("evt"),
  endpoint_id: WireId("ep"),
  state: OneOf(DELIVERY_STATES, "Filtered: the transformation of the endpoint returned null."),
  light: Type.Unsafe<"green" | "amber" | "red" | null>({
    type: "string",
    enum: ["green", "amber", "red", null],
    nullable: true,
    description:
      "Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered.",
  }),
  attempt_count: Type.Integer({ examples: [2] }),
  next_attempt_at: Nullable(Timestamp),
  blocked_by: Nullable(WireId("dlv")),
  ordering_key: Nullable(
    StringExample('"ord_4711"', {
      description:
        "The key by which the order of the endpoint is kept, as JSON text with strings unescaped. Null: the delivery is not ordered.",
    }),
  ),
  sequence: Nullable(
    Type.Integer({
      minimum: 1,
      examples: [7],
      description: "The number among the deliveries with the same key, from 1. Null until the delivery has its place.",
    }),
  ),
  last_status_code: Nullable(Type.Integer({ examples: [503] })),
  last_error_class: Nullable(ErrorClass),
  completed_at: Nullable(Timestamp),
  ...ownershipFields,
};
export const DeliveryView = Type.Object(deliveryView, { title: "Delivery" });
const RequestView = Type.Object(
  {
    method: OneOf(TRANSFORM_METHODS),
    url: StringExample("https://hooks.example.com/junction"),
    headers: headers(
      { "X-Service-Event": "invoice.paid" },
      "The headers as they are sent, without the values of secrets.",
    ),
    body: StringExample('{"event":"invoice.paid","data":{}}', { description: "The exact bytes, as text." }),
  },
  { title: "SentRequest" },
);
const AppliedTransform = Type.Object(
  {
    version: Type.Integer({ minimum: 0, examples: [3], description: "The version of the transformation that ran." }),
    before: StringExample('{"event":"invoice.paid","data":{}}', {
      description: "What the transformation read, as JSON text. `request` is what it made of it.",
    }),
    log: Type.Array(StringExample("There is no value at $.data.total."), {
      description: "What it reported, such as paths without a value.",
    }),
  },
  { title: "AppliedTransform" },
);
export const DeliveryDetail = Type.Object(
  {
    ...deliveryView,
    request: Nullable(RequestView),
    transform: Nullable(AppliedTransform),
    ladder_seconds: Type.Array(Type.Number({ examples: [60] }), {
      description:
        "The waits of the retry schedule. If the attempt after the last wait fails, the delivery is marked as failed.",
    }),
  },
  { title: "DeliveryDetail" },
);
export const DeliveryListView = ListOf(DeliveryView);
export const deliveryFilter = {
  endpoint_id: Type.Optional(WireId("ep")),
  tenant: Type.Optional(Tenant("The tenant of the endpoint.")),
  event: Type.Optional(EventName),
  status_code: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: "The status code of the last attempt.", examples: [503] }),
  ),
  status_class: Type.Optional(
    OneOf(["1xx", "2xx", "3xx", "4xx", "5xx"], "The class of the status code of the last attempt."),
  ),
  error_class: Type.Optional(OneOf(ERROR_CLASSES, "The kind of error of the last attempt.")),
  attempt_count: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 32_767, description: "The number of attempts that were made.", examples: [6] }),
  ),
  created_after: Type.Optional(DateTimeFilter("Created at or after this time.")),
  created_before: Type.Optional(DateTimeFilter("Created before this time.")),
};
export const DeliveryListQuery = Type.Object(
  {
    state: Type.Optional(OneOf(DELIVERY_STATES, "The state of the delivery.")),
    ...deliveryFilter,
    payload: Type.Optional(
      StringExample("$.order.id=10482", {
        maxLength: 700,
        description:
          "A path into the event's data and the value at that path, exactly as it was written. A page searches at most 5000 deliveries. It can therefore be short and still have a next page.",
      }),
    ),
    q: Type.Optional(
      StringExample("invoice.paid", {
        maxLength: 128,
        description: "The id of a delivery or of an event, or the name of an event.",
      }),
    ),
    ...PageQuery,
  },
  strict,
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
    error_detail: Nullable(StringExample("The receiver answered 503.")),
    latency_ms: Type.Object(
      {
        dns: Type.Number(),
        connect: Type.Number(),
        tls: Type.Number(),
        first_byte: Type.Number(),
        total: Type.Number(),
      },
      {
        description:
          "In milliseconds. `connect` and `tls` are 0 on a connection that was already open. `first_byte` starts when the request was written. `total` covers all phases.",
        title: "Latency",
        examples: [{ dns: 1.2, connect: 8.4, tls: 17.9, first_byte: 61.3, total: 61.9 }],
      },
    ),
    resolved_ip: Nullable(StringExample("203.0.113.20")),
    response_headers: Nullable(headers({ "content-type": "text/plain" }, "The headers of the response.")),
    response_snippet: Nullable(StringExample("upstream timed out", { description: "The first KiB of the response." })),
    response_truncated: Type.Boolean(),
    ...ownershipFields,
  },
  { title: "Attempt" },
);
export const AttemptListView = ListOf(AttemptView);
export const ReplayQuery = Type.Object({ retransform }, strict);
export const AttemptListQuery = Type.Object(PageQuery, strict);
