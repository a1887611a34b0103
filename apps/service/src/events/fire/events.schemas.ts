import {
  closed,
  ListOf,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  Timestamp,
  Type,
  WholeQuery,
  WireId,
} from "../../lib/lib.ts";

const EventName = Type.String({
  description: "A canonical name, or a custom one.",
  minLength: 1,
  maxLength: 128,
  examples: ["order.created"],
});
const EventData = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "Passed on byte for byte.",
  examples: [{ order: { external_id: "10482", total: 8900, currency: "EUR" } }],
});

export const FireBody = Type.Object(
  {
    event: EventName,
    data: EventData,
    occurred_at: Type.Optional(Moment("When it happened, at most a day ahead; now, unless given.")),
    subject: Type.Optional(
      Sample("order:10482", {
        minLength: 1,
        maxLength: 255,
        description: "What the event is about; a filter of the event list.",
      }),
    ),
  },
  { ...closed, title: "NewEvent" },
);
export const BatchBody = Type.Object(
  { events: Type.Array(FireBody, { minItems: 1, maxItems: 500 }) },
  { ...closed, title: "NewEvents" },
);

const SubscriberRef = Type.Object(
  {
    kind: OneOf(["projection", "mirror", "connector", "rule", "workflow", "assistant", "webhook"]),
    key: Sample("contacts", { description: "Which one of its kind." }),
    priority: Type.Integer({ description: "Lower ones come first.", examples: [10] }),
  },
  { title: "SubscriberRef" },
);
const DeliveryRef = Type.Object(
  { id: WireId("dlv"), endpoint_id: WireId("ep"), state: Sample("pending") },
  { title: "DeliveryRef" },
);

const eventHead = {
  id: WireId("evt"),
  object: OneOf(["event"]),
  event: EventName,
  canonical: Type.Boolean({ description: "Whether it is one of the 52." }),
  occurred_at: Timestamp,
};
export const FiredEventView = Type.Object(
  {
    ...eventHead,
    status: OneOf(["accepted"]),
    subscribers: Type.Array(SubscriberRef, { description: "Who reacts, in order." }),
    deliveries: Type.Array(DeliveryRef, { description: "At most 1000 in one answer; the delivery log has them all." }),
    deliveries_omitted: Type.Optional(
      Type.Integer({ description: "Deliveries beyond those that the answer lists.", minimum: 1, examples: [250] }),
    ),
  },
  { title: "FiredEvent" },
);
export const FiredBatchView = Type.Object(
  { object: OneOf(["list"]), data: Type.Array(FiredEventView) },
  { title: "FiredEvents" },
);

const EventView = Type.Object(
  { ...eventHead, subject: Nullable(Sample("order:10482")), ...Owned, data: EventData },
  { title: "Event" },
);
const StageView = Type.Object(
  {
    kind: Sample("projection"),
    key: Sample("contacts"),
    priority: Type.Integer({ examples: [10] }),
    state: Sample("done"),
    late: Type.Boolean({ description: "Whether the next stage began before this one ended.", examples: [false] }),
    started_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
    error: Nullable(Sample("The projection was not reached.")),
  },
  { title: "Stage" },
);
const EventDelivery = Type.Object(
  { id: WireId("dlv"), endpoint_id: WireId("ep"), state: Sample("delivered") },
  { additionalProperties: true, title: "EventDelivery", description: "As the delivery log shows it." },
);
export const EventDetail = Type.Object(
  {
    ...eventHead,
    subject: Nullable(Sample("order:10482")),
    ...Owned,
    stages: Type.Array(StageView),
    deliveries: Type.Array(EventDelivery),
    data: EventData,
  },
  { title: "EventDetail" },
);
export const EventListView = ListOf(EventView);
export const EventListQuery = Type.Object(
  {
    event: Type.Optional(Sample("order.created", { description: "The event's name." })),
    subject: Type.Optional(Sample("order:10482", { description: "What the event is about." })),
    created_after: Type.Optional(Moment("Created from here on.")),
    created_before: Type.Optional(Moment("Created before this.")),
    ...PageQuery,
  },
  closed,
);

const eventTypeView = {
  object: OneOf(["event_type"]),
  name: Sample("order.created"),
  domain: Sample("commerce"),
  title: Sample("Order created"),
  description: Sample("A customer placed an order."),
  canonical: Type.Boolean(),
  system: Type.Boolean(),
  schema: Type.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    description: "JSON Schema of `data`.",
    examples: [{ type: "object", properties: {} }],
  }),
  example: EventData,
};
export const EventTypeListView = ListOf(Type.Object(eventTypeView, { title: "EventType" }));
export const EventTypeListQuery = Type.Object(WholeQuery, closed);
export const EventTypeDetail = Type.Object(
  { ...eventTypeView, reacts: Type.Array(SubscriberRef, { description: "Who would react now, in order." }) },
  { title: "EventTypeDetail" },
);
