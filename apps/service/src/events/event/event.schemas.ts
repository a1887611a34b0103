import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { MAX_DAYS_AHEAD } from "./event.ts";

export const EventName = Type.String({
  description: "The name of a canonical or custom event type.",
  minLength: 1,
  maxLength: 128,
  examples: ["order.created"],
});
const Version = Nullable(
  Type.Integer({ description: "The version of the event type. Null if it had no type.", examples: [1] }),
);
const SchemaErrors = Type.Array(
  Type.Object(
    {
      pointer: StringExample("/data/total", { description: "An RFC 6901 pointer into the event." }),
      code: StringExample("type", { description: "The keyword of the schema that the value violates." }),
      message: StringExample("must be number"),
    },
    { title: "SchemaError" },
  ),
  { description: "How the data differs from the schema of its type, if that is enforced with `warn`. At most 20." },
);
export const EventData = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The data, which receivers get byte for byte.",
  examples: [{ order: { external_id: "10482", total: 8900, currency: "EUR" } }],
});

export const Channels = Type.Array(
  StringExample("eu-west", { pattern: "^[A-Za-z0-9_.-]{1,128}$", description: "The name of a channel." }),
  {
    maxItems: 10,
    description: "An endpoint that has channels gets only the events that share one with it.",
  },
);
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 1024 },
  maxProperties: 50,
  description: "Your own values, which the service keeps and returns.",
  examples: [{ plan: "pro" }],
});
export const Uid = (what: string) =>
  StringExample("invoice-10482", {
    pattern: "^[A-Za-z0-9_.-]{1,256}$",
    description: `Your own id of ${what}, unique for each tenant.`,
  });

export const FireBody = Type.Object(
  {
    event: EventName,
    data: EventData,
    occurred_at: Type.Optional(DateTimeFilter("When the event happened, at most a day in the future. Default: now.")),
    subject: Type.Optional(
      StringExample("order:10482", {
        minLength: 1,
        maxLength: 255,
        description: "What the event is about. The list of events can be filtered by it.",
      }),
    ),
    deliver_at: Type.Optional(
      DateTimeFilter(
        `When the event is fired and all reactions begin, at most ${MAX_DAYS_AHEAD} days in the future. Default, and for a past time: now.`,
      ),
    ),
    tenant: Type.Optional(
      Tenant(
        "Your customer that the event concerns, by your own id. The event goes to the endpoints of this tenant, and to those without a tenant. Default: none.",
      ),
    ),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 32_767,
        description: "The version of the event type that the data has. Default: the current version.",
        examples: [2],
      }),
    ),
    uid: Type.Optional(Uid("the event")),
    channels: Type.Optional(Channels),
    metadata: Type.Optional(Metadata),
  },
  { ...strict, title: "NewEvent" },
);
export const BatchBody = Type.Object(
  { events: Type.Array(FireBody, { minItems: 1, maxItems: 500 }) },
  { ...strict, title: "NewEvents" },
);
/** The body of a refire. The whole body may be omitted. */
export const RefireBody = Nullable(
  Type.Object(
    {
      endpoint_id: Type.Optional(WireId("ep")),
    },
    { ...strict, title: "EventRefire" },
  ),
);

export const SubscriberRef = Type.Object(
  {
    kind: OneOf(["projection", "mirror", "connector", "rule", "workflow", "assistant", "webhook"]),
    key: StringExample("contacts", { description: "The key of the subscriber, unique within its kind." }),
    priority: Type.Integer({ description: "Lower values come first.", examples: [10] }),
  },
  { title: "SubscriberRef" },
);
const DeliveryRef = Type.Object(
  { id: WireId("dlv"), endpoint_id: WireId("ep"), state: StringExample("pending") },
  { title: "DeliveryRef" },
);

const eventHead = {
  id: WireId("evt"),
  object: OneOf(["event"]),
  event: EventName,
  canonical: Type.Boolean({ description: "Whether the event type is one of the 52 canonical ones." }),
  occurred_at: Timestamp,
};
const DeliverAt = Type.String({
  format: "date-time",
  description: "When the event is fired. Only in events that are scheduled or were cancelled.",
});
const EventTenant = Nullable(Tenant("Your customer that the event concerns. Null: none."));
const STATUSES = ["accepted", "scheduled", "cancelled"] as const;
const status = {
  status: OneOf(STATUSES, "`accepted`: the event was fired."),
  deliver_at: Type.Optional(DeliverAt),
};
export const FiredEventView = Type.Object(
  {
    ...eventHead,
    tenant: Type.Optional(Tenant("The tenant of the event, if it has one.")),
    status: OneOf(["accepted", "scheduled"], "`scheduled`: the event is fired at `deliver_at`."),
    deliver_at: Type.Optional(DeliverAt),
    subscribers: Type.Array(SubscriberRef, { description: "The subscribers that react, in order." }),
    deliveries: Type.Array(DeliveryRef, {
      description: "At most 1000 deliveries. The delivery log contains all of them.",
    }),
    deliveries_omitted: Type.Optional(
      Type.Integer({
        description: "The number of deliveries that this response does not list.",
        minimum: 1,
        examples: [250],
      }),
    ),
    schema_errors: Type.Optional(SchemaErrors),
  },
  { title: "FiredEvent" },
);
export const FiredBatchView = Type.Object(
  { object: OneOf(["list"]), data: Type.Array(FiredEventView) },
  { title: "FiredEvents" },
);

const storedEvent = {
  ...eventHead,
  subject: Nullable(StringExample("order:10482")),
  tenant: EventTenant,
  ...status,
  version: Version,
  uid: Nullable(Uid("the event")),
  channels: Channels,
  metadata: Metadata,
  ...ownershipFields,
  schema_errors: SchemaErrors,
};
const EventView = Type.Object({ ...storedEvent, data: EventData }, { title: "Event" });
const StageView = Type.Object(
  {
    kind: StringExample("projection"),
    key: StringExample("contacts"),
    priority: Type.Integer({ examples: [10] }),
    state: StringExample("done"),
    late: Type.Boolean({ description: "Whether the next stage began before this one ended.", examples: [false] }),
    started_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
    error: Nullable(StringExample("The projection was not reached.")),
  },
  { title: "Stage" },
);
const EventDelivery = Type.Object(
  { id: WireId("dlv"), endpoint_id: WireId("ep"), state: StringExample("delivered") },
  { additionalProperties: true, title: "EventDelivery", description: "A delivery as shown in the delivery log." },
);
export const EventDetail = Type.Object(
  {
    ...storedEvent,
    stages: Type.Array(StageView),
    deliveries: Type.Array(EventDelivery),
    data: EventData,
  },
  { title: "EventDetail" },
);
export const EventListView = ListOf(EventView);
export const EventListQuery = Type.Object(
  {
    status: Type.Optional(OneOf(STATUSES, "The status of the events. Default: `accepted`.")),
    event: Type.Optional(StringExample("order.created", { description: "The name of the event." })),
    subject: Type.Optional(StringExample("order:10482", { description: "What the event is about." })),
    tenant: Type.Optional(Tenant("The tenant of the events.")),
    created_after: Type.Optional(DateTimeFilter("Created at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Created before this time.")),
    ...PageQuery,
  },
  strict,
);
