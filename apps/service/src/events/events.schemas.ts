import { closed, ListOf, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";

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
});

export const FireBody = Type.Object(
  {
    event: EventName,
    data: EventData,
    occurred_at: Type.Optional(Timestamp),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "What the event is about; a filter of the event list.",
      }),
    ),
  },
  closed,
);
export const BatchBody = Type.Object({ events: Type.Array(FireBody, { minItems: 1, maxItems: 500 }) }, closed);

const SubscriberRef = Type.Object({
  kind: OneOf(["projection", "mirror", "connector", "rule", "workflow", "assistant", "webhook"]),
  key: Type.String(),
  priority: Type.Integer(),
});
const DeliveryRef = Type.Object({ id: WireId("dlv"), endpoint_id: WireId("ep"), state: Type.String() });

const eventHead = {
  id: WireId("evt"),
  object: OneOf(["event"]),
  event: EventName,
  canonical: Type.Boolean(),
  occurred_at: Timestamp,
};
export const FiredEventView = Type.Object({
  ...eventHead,
  status: OneOf(["accepted"]),
  subscribers: Type.Array(SubscriberRef),
  deliveries: Type.Array(DeliveryRef),
});
export const FiredBatchView = Type.Object({ object: OneOf(["list"]), data: Type.Array(FiredEventView) });

export const EventView = Type.Object(
  { ...eventHead, subject: Type.Unsafe<string | null>({ type: "string", nullable: true }), ...Owned, data: EventData },
  { additionalProperties: true },
);
export const EventListView = ListOf(EventView);
export const EventListQuery = Type.Object(
  {
    event: Type.Optional(Type.String()),
    subject: Type.Optional(Type.String()),
    created_after: Type.Optional(Type.String()),
    created_before: Type.Optional(Type.String()),
    ...PageQuery,
  },
  closed,
);

export const EventTypeView = Type.Object(
  {
    object: OneOf(["event_type"]),
    name: Type.String(),
    domain: Type.String(),
    title: Type.String(),
    description: Type.String(),
    canonical: Type.Boolean(),
    system: Type.Boolean(),
    schema: Type.Unsafe<object>({ type: "object", additionalProperties: true, description: "JSON Schema of `data`." }),
    example: EventData,
  },
  { additionalProperties: true },
);
export const EventTypeListView = ListOf(EventTypeView);
