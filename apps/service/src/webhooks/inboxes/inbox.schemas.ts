import { t } from "../../lib/lib.ts";

export const MessageHeaders = t.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string" },
  examples: [{ "content-type": "application/json" }],
});
export const MESSAGE_BODY = '{"event":"order.created","data":{}}';

const MAX_BEHAVIOUR_BODY = 16_384;
/** The longest response body with each of its characters as an escape of six bytes, and the other members. */
export const MAX_BEHAVIOUR_BYTES = MAX_BEHAVIOUR_BODY * 6 + 1024;

const behaviour = {
  status: t.Integer({ minimum: 200, maximum: 599, description: "The status code of the responses." }),
  delay_ms: t.Integer({ minimum: 0, maximum: 20_000, description: "The delay of each response, in milliseconds." }),
  fail_times: t.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "The number of further messages that are answered with 500. Each such message reduces it by one.",
  }),
  body: t.Nullable(
    t.StringExample("ok", {
      maxLength: MAX_BEHAVIOUR_BODY,
      description: 'The response body, sent as plain text. Null sends `{"received":true}`.',
    }),
  ),
};
export const BehaviourView = t.Object(behaviour, { title: "InboxBehaviour" });
export const BehaviourBody = t.Partial(t.Object(behaviour), { ...t.strict, title: "InboxBehaviourChange" });

export const InboxMessage = t.Object(
  {
    id: t.WireId("inb"),
    received_at: t.Timestamp,
    delivery_id: t.Nullable(t.WireId("dlv")),
    event: t.Nullable(t.StringExample("order.created")),
    signature: t.OneOf(["valid", "invalid", "unsigned"]),
    headers: MessageHeaders,
    body: t.StringExample(MESSAGE_BODY),
    answered: t.Integer({ description: "The status code of the inbox's response.", examples: [200] }),
  },
  { title: "InboxMessage" },
);
/** The inbox's response, unless another one is configured. */
export const InboxAnswer = t.Unsafe<unknown>({
  title: "InboxAnswer",
  type: "object",
  required: ["received"],
  properties: { received: { type: "boolean" } },
});
export const InboxView = t.Object(
  {
    object: t.OneOf(["inbox"]),
    url: t.StringExample("https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR"),
    behaviour: BehaviourView,
    messages: t.Array(InboxMessage, { description: "Newest first, at most 100. The inbox keeps the last 200." }),
  },
  { title: "Inbox" },
);
