import { OneOf, StringExample, Type } from "../../lib/lib.ts";

export const EventData = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The data, which receivers get byte for byte.",
  examples: [{ order: { external_id: "10482", total: 8900, currency: "EUR" } }],
});

export const SubscriberRef = Type.Object(
  {
    kind: OneOf(["projection", "mirror", "connector", "rule", "workflow", "assistant", "webhook"]),
    key: StringExample("contacts", { description: "The key of the subscriber, unique within its kind." }),
    priority: Type.Integer({ description: "Lower values come first.", examples: [10] }),
  },
  { title: "SubscriberRef" },
);
