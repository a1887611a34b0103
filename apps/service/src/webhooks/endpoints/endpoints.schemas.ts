import { t } from "../../lib/lib.ts";
import { Channels, Metadata, Uid } from "../../events/events.ts";
import { DestinationView } from "../requests/destination.schemas.ts";
import { EndpointAuthView } from "../requests/endpoint-auth.ts";
import { headersSchema } from "../requests/headers.schemas.ts";
import { Secret } from "./endpoint-secrets.schemas.ts";
import { SummaryView } from "./endpoint-stats.schemas.ts";
import { FilterView } from "./filters.schemas.ts";
import { ENDPOINT_KINDS } from "./kind.ts";
import { OrderingView } from "./ordering.ts";
import { RetryScheduleView } from "./own-schedule.ts";
import { PinnedVersionsView } from "./pinned-versions.ts";
import { PreviousPublicKey, PublicKey, SignaturesView } from "./signature-families.ts";
import { TransformVersion, TransformView } from "./transforms.schemas.ts";
import { SHOWN_WIRES, WIRES } from "./wire.ts";

const SentHeaders = headersSchema(
  { Authorization: "Bearer 9f2c" },
  "Headers that are sent with each delivery, in addition to those of the service. The values are stored encrypted. In a change, `[redacted]` keeps the value of a header as long as the URL stays the same.",
  t.secret,
);
const ShownHeaders = headersSchema(
  { Authorization: "[redacted]" },
  "The endpoint's own headers. The values are `[redacted]`.",
);
export const EventName = t.StringExample("invoice.paid", "The name of the event.");
const Subscribed = t.Array(t.StringExample("invoice.paid", { maxLength: 128 }), {
  minItems: 1,
  maxItems: 200,
  description:
    "The events that the endpoint subscribes to: names, patterns such as `order.*` for all events below a prefix, or `*` for all events except system events.",
});

const EndpointTenant = t.Nullable(
  t.Tenant(
    "Your customer that the endpoint belongs to, by your own id. The endpoint gets only the events of this tenant. Null: it gets the events of all tenants. It cannot be changed.",
  ),
);

const KIND =
  "`webhook`: requests are sent to `url`. `pull`: consumers read the messages with pulls, so `url`, `rate_limit_per_second` and `max_in_flight` must be omitted. Other kinds: messages are sent to the broker in `destination`, with the body and the headers of the requests; `delivered` means that the broker confirmed the message. The kind cannot be changed.";
const WireForm = t.OneOf(
  WIRES,
  "The form of the requests. `svix`: the body is the data alone, byte for byte, with `svix-id`, `svix-timestamp` and `svix-signature` and no `X-Service-` headers, for receivers that verify with a library of Svix. Default: `service`.",
);
const ShownWireForm = t.OneOf(
  SHOWN_WIRES,
  "The form of the requests. `mcp`: the endpoint belongs to an AI client, which subscribed with `events/subscribe`. No one else can change it.",
);
const EndpointChannels = t.Array(Channels.items, {
  maxItems: 10,
  description: "The endpoint gets only the events that have one of these channels. Empty: all events.",
});

const URL = {
  minLength: 1,
  maxLength: 2048,
  description: "An https URL on the public internet. Required for kind `webhook`.",
};

const EndpointName = t.StringExample("billing", {
  minLength: 1,
  maxLength: 200,
  description:
    "The name by which configuration files refer to the endpoint. Null: the host of the URL or of the destination, or `pull` for that kind.",
});

const endpointFields = {
  url: t.Optional(t.StringExample("https://hooks.example.com/junction", URL)),
  events: Subscribed,
  active: t.Optional(t.Boolean({ default: true, description: "Whether events are delivered to the endpoint." })),
  description: t.Optional(
    t.StringExample("Billing, production", { maxLength: 500, description: "A description for people." }),
  ),
  headers: t.Optional(SentHeaders),
  rate_limit_per_second: t.Optional(
    t.Nullable(
      t.Integer({
        minimum: 1,
        maximum: 10_000,
        examples: [50],
        description: "The maximum number of attempts per second. Null: no limit.",
      }),
    ),
  ),
  max_in_flight: t.Optional(
    t.Integer({ minimum: 1, maximum: 256, default: 16, description: "The maximum number of concurrent attempts." }),
  ),
  tenant: t.Optional(EndpointTenant),
  filter: t.Optional(FilterView),
  transform: t.Optional(TransformView),
  event_versions: t.Optional(PinnedVersionsView),
  kind: t.Optional(t.OneOf(ENDPOINT_KINDS, `${KIND} Default: \`webhook\`.`)),
  ordering: t.Optional(OrderingView),
  retry_schedule: t.Optional(RetryScheduleView),
  auth: t.Optional(EndpointAuthView),
  destination: t.Optional(DestinationView),
  signatures: t.Optional(SignaturesView),
  wire: t.Optional(WireForm),
  channels: t.Optional(EndpointChannels),
  metadata: t.Optional(Metadata),
  uid: t.Optional(t.Nullable(Uid("the endpoint"))),
  name: t.Optional(t.Nullable(EndpointName)),
};
export const EndpointBody = t.Object(
  {
    ...endpointFields,
    // SDKs keep its place among the arguments, from when each endpoint had one.
    url: t.Optional(t.StringExample("https://hooks.example.com/junction", { ...URL, "x-was-required": true })),
  },
  { ...t.strict, title: "NewWebhookEndpoint" },
);
export const EndpointPatch = t.Partial(t.Object(endpointFields), {
  ...t.strict,
  minProperties: 1,
  title: "WebhookEndpointChange",
});

const endpointView = {
  id: t.WireId("ep"),
  object: t.OneOf(["webhook_endpoint"]),
  kind: t.OneOf(ENDPOINT_KINDS, KIND),
  name: EndpointName,
  url: t.Nullable(t.StringExample("https://hooks.example.com/junction", "Null for kinds other than `webhook`.")),
  destination: DestinationView,
  events: t.Array(EventName),
  active: t.Boolean(),
  description: t.StringExample("Billing, production"),
  headers: ShownHeaders,
  rate_limit_per_second: t.Nullable(t.Integer({ examples: [50] })),
  max_in_flight: t.Nullable(t.Integer({ examples: [16], description: "Null for kind `pull`." })),
  tenant: EndpointTenant,
  filter: FilterView,
  transform: TransformView,
  transform_version: TransformVersion,
  event_versions: PinnedVersionsView,
  ordering: OrderingView,
  retry_schedule: RetryScheduleView,
  auth: EndpointAuthView,
  certificate_expires_at: t.Nullable(
    t.String({
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
  uid: t.Nullable(Uid("the endpoint")),
  external_ref: t.Nullable(
    t.StringExample(
      "ep_2cUYMGXSAdfmUhHvSBPSsWBsvD8",
      "The id that the endpoint had in the product that it was imported from. Null: it was not imported.",
    ),
  ),
  health: t.OneOf(
    ["green", "amber", "red"],
    "Amber while attempts fail. Red after the service deactivated the endpoint.",
  ),
  failing_since: t.Nullable(t.Timestamp),
  disabled_reason: t.Nullable(
    t.StringExample("gone", "`gone` after a 410, `failing_for_days` after five days of failures."),
  ),
  inactive_since: t.Nullable(
    t.String({
      format: "date-time",
      examples: ["2026-11-23T10:00:00.000Z"],
      description:
        "Since when the endpoint gets no new events. Null while it is active. A backfill sends what it missed.",
    }),
  ),
  ...t.ownershipFields,
};
export const EndpointView = t.Object(endpointView, { title: "WebhookEndpoint" });
export const EndpointWithSecret = t.Object({ ...endpointView, secret: Secret }, { title: "WebhookEndpointWithSecret" });

export const EndpointListView = t.ListOf(
  t.Object({ ...endpointView, stats: t.Optional(SummaryView) }, { title: "ListedWebhookEndpoint" }),
);
export const EndpointListQuery = t.Object(
  {
    tenant: t.Optional(t.Tenant("The tenant of the endpoints.")),
    with: t.Optional(t.OneOf(["stats"], "`stats` adds the figures of each endpoint's last 24 hours.")),
    ...t.PageQuery,
  },
  t.strict,
);
