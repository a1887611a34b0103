import { t } from "../../lib/lib.ts";
import { MAX_DAYS_AHEAD } from "./event.ts";

export const EventName = t.String({
  description: "The name of a canonical or custom event type.",
  minLength: 1,
  maxLength: 128,
  examples: ["order.created"],
});
const Version = t.Nullable(
  t.Integer({ description: "The version of the event type. Null if it had no type.", examples: [1] }),
);
const SchemaErrors = t.Array(
  t.Object(
    {
      pointer: t.StringExample("/data/total", { description: "An RFC 6901 pointer into the event." }),
      code: t.StringExample("type", { description: "The keyword of the schema that the value violates." }),
      message: t.StringExample("must be number"),
    },
    { title: "SchemaError" },
  ),
  { description: "How the data differs from the schema of its type, if that is enforced with `warn`. At most 20." },
);
export const EventData = t.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The data, which receivers get byte for byte.",
  examples: [{ order: { external_id: "10482", total: 8900, currency: "EUR" } }],
});

export const Channels = t.Array(
  t.StringExample("eu-west", { pattern: "^[A-Za-z0-9_.-]{1,128}$", description: "The name of a channel." }),
  {
    maxItems: 10,
    description: "An endpoint that has channels gets only the events that share one with it.",
  },
);
export const Metadata = t.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 1024 },
  maxProperties: 50,
  description: "Your own values, which the service keeps and returns.",
  examples: [{ plan: "pro" }],
});
export const Uid = (what: string) =>
  t.StringExample("invoice-10482", {
    pattern: "^[A-Za-z0-9_.-]{1,256}$",
    description: `Your own id of ${what}, unique for each tenant.`,
  });

export const FireBody = t.Object(
  {
    event: EventName,
    data: EventData,
    occurred_at: t.Optional(t.DateTimeFilter("When the event happened, at most a day in the future. Default: now.")),
    subject: t.Optional(
      t.StringExample("order:10482", {
        minLength: 1,
        maxLength: 255,
        description: "What the event is about. The list of events can be filtered by it.",
      }),
    ),
    deliver_at: t.Optional(
      t.DateTimeFilter(
        `When the event is fired and all reactions begin, at most ${MAX_DAYS_AHEAD} days in the future. Default, and for a past time: now.`,
      ),
    ),
    tenant: t.Optional(
      t.Tenant(
        "Your customer that the event concerns, by your own id. The event goes to the endpoints of this tenant, and to those without a tenant. Default: none.",
      ),
    ),
    version: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 32_767,
        description: "The version of the event type that the data has. Default: the current version.",
        examples: [2],
      }),
    ),
    uid: t.Optional(Uid("the event")),
    channels: t.Optional(Channels),
    metadata: t.Optional(Metadata),
  },
  { ...t.strict, title: "NewEvent" },
);
export const BatchBody = t.Object(
  { events: t.Array(FireBody, { minItems: 1, maxItems: 500 }) },
  { ...t.strict, title: "NewEvents" },
);
/** The body of a refire. The whole body may be omitted. */
export const RefireBody = t.Nullable(
  t.Object(
    {
      endpoint_id: t.Optional(t.WireId("ep")),
    },
    { ...t.strict, title: "EventRefire" },
  ),
);

export const SubscriberRef = t.Object(
  {
    kind: t.OneOf(["projection", "mirror", "connector", "rule", "workflow", "assistant", "webhook"]),
    key: t.StringExample("contacts", { description: "The key of the subscriber, unique within its kind." }),
    priority: t.Integer({ description: "Lower values come first.", examples: [10] }),
  },
  { title: "SubscriberRef" },
);
const DeliveryRef = t.Object(
  { id: t.WireId("dlv"), endpoint_id: t.WireId("ep"), state: t.StringExample("pending") },
  { title: "DeliveryRef" },
);

const eventHead = {
  id: t.WireId("evt"),
  object: t.OneOf(["event"]),
  event: EventName,
  canonical: t.Boolean({ description: "Whether the event type is one of the 52 canonical ones." }),
  occurred_at: t.Timestamp,
};
const DeliverAt = t.String({
  format: "date-time",
  description: "When the event is fired. Only in events that are scheduled or were cancelled.",
});
const EventTenant = t.Nullable(t.Tenant("Your customer that the event concerns. Null: none."));
const STATUSES = ["accepted", "scheduled", "cancelled"] as const;
const status = {
  status: t.OneOf(STATUSES, "`accepted`: the event was fired."),
  deliver_at: t.Optional(DeliverAt),
};
export const FiredEventView = t.Object(
  {
    ...eventHead,
    tenant: t.Optional(t.Tenant("The tenant of the event, if it has one.")),
    status: t.OneOf(["accepted", "scheduled"], "`scheduled`: the event is fired at `deliver_at`."),
    deliver_at: t.Optional(DeliverAt),
    subscribers: t.Array(SubscriberRef, { description: "The subscribers that react, in order." }),
    deliveries: t.Array(DeliveryRef, {
      description: "At most 1000 deliveries. The delivery log contains all of them.",
    }),
    deliveries_omitted: t.Optional(
      t.Integer({
        description: "The number of deliveries that this response does not list.",
        minimum: 1,
        examples: [250],
      }),
    ),
    schema_errors: t.Optional(SchemaErrors),
  },
  { title: "FiredEvent" },
);
export const FiredBatchView = t.Object(
  { object: t.OneOf(["list"]), data: t.Array(FiredEventView) },
  { title: "FiredEvents" },
);

const storedEvent = {
  ...eventHead,
  subject: t.Nullable(t.StringExample("order:10482")),
  tenant: EventTenant,
  ...status,
  version: Version,
  uid: t.Nullable(Uid("the event")),
  channels: Channels,
  metadata: Metadata,
  ...t.ownershipFields,
  schema_errors: SchemaErrors,
};
const EventView = t.Object({ ...storedEvent, data: EventData }, { title: "Event" });
const StageView = t.Object(
  {
    kind: t.StringExample("projection"),
    key: t.StringExample("contacts"),
    priority: t.Integer({ examples: [10] }),
    state: t.StringExample("done"),
    late: t.Boolean({ description: "Whether the next stage began before this one ended.", examples: [false] }),
    started_at: t.Nullable(t.Timestamp),
    ended_at: t.Nullable(t.Timestamp),
    error: t.Nullable(t.StringExample("The projection was not reached.")),
  },
  { title: "Stage" },
);
const EventDelivery = t.Object(
  { id: t.WireId("dlv"), endpoint_id: t.WireId("ep"), state: t.StringExample("delivered") },
  { additionalProperties: true, title: "EventDelivery", description: "A delivery as shown in the delivery log." },
);
export const EventDetail = t.Object(
  {
    ...storedEvent,
    stages: t.Array(StageView),
    deliveries: t.Array(EventDelivery),
    data: EventData,
  },
  { title: "EventDetail" },
);
export const EventListView = t.ListOf(EventView);
export const EventListQuery = t.Object(
  {
    status: t.Optional(t.OneOf(STATUSES, "The status of the events. Default: `accepted`.")),
    event: t.Optional(t.StringExample("order.created", { description: "The name of the event." })),
    subject: t.Optional(t.StringExample("order:10482", { description: "What the event is about." })),
    tenant: t.Optional(t.Tenant("The tenant of the events.")),
    created_after: t.Optional(t.DateTimeFilter("Created at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Created before this time.")),
    ...t.PageQuery,
  },
  t.strict,
);
