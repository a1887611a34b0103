import { strict, Nullable, OneOf, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";

export const MessageHeaders = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string" },
  examples: [{ "content-type": "application/json" }],
});
export const MESSAGE_BODY = '{"event":"order.created","data":{}}';

const MAX_BEHAVIOUR_BODY = 16_384;
/** The longest response body with each of its characters as an escape of six bytes, and the other members. */
export const MAX_BEHAVIOUR_BYTES = MAX_BEHAVIOUR_BODY * 6 + 1024;

const behaviour = {
  status: Type.Integer({ minimum: 200, maximum: 599, description: "The status code of the responses." }),
  delay_ms: Type.Integer({ minimum: 0, maximum: 20_000, description: "The delay of each response, in milliseconds." }),
  fail_times: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "The number of further messages that are answered with 500. Each such message reduces it by one.",
  }),
  body: Nullable(
    StringExample("ok", {
      maxLength: MAX_BEHAVIOUR_BODY,
      description: 'The response body, sent as plain text. Null sends `{"received":true}`.',
    }),
  ),
};
export const BehaviourView = Type.Object(behaviour, { title: "InboxBehaviour" });
export const BehaviourBody = Type.Partial(Type.Object(behaviour), { ...strict, title: "InboxBehaviourChange" });

export const InboxMessage = Type.Object(
  {
    id: WireId("inb"),
    received_at: Timestamp,
    delivery_id: Nullable(WireId("dlv")),
    event: Nullable(StringExample("order.created")),
    signature: OneOf(["valid", "invalid", "unsigned"]),
    headers: MessageHeaders,
    body: StringExample(MESSAGE_BODY),
    answered: Type.Integer({ description: "The status code of the inbox's response.", examples: [200] }),
  },
  { title: "InboxMessage" },
);
/** The inbox's response, unless another one is configured. */
export const InboxAnswer = Type.Unsafe<unknown>({
  title: "InboxAnswer",
  type: "object",
  required: ["received"],
  properties: { received: { type: "boolean" } },
});
export const InboxView = Type.Object(
  {
    object: OneOf(["inbox"]),
    url: StringExample("https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR"),
    behaviour: BehaviourView,
    messages: Type.Array(InboxMessage, { description: "Newest first, at most 100. The inbox keeps the last 200." }),
  },
  { title: "Inbox" },
);
