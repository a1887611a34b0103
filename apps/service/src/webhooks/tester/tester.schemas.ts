import { strict, Nullable, OneOf, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";

const Headers = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string" },
  examples: [{ "content-type": "application/json" }],
});
const MAC = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const BODY = '{"event":"order.created","data":{}}';

export const TestBody = Type.Object(
  {
    endpoint_id: Type.Optional(WireId("ep")),
    url: Type.Optional(
      StringExample("https://hooks.example.com/junction", {
        minLength: 1,
        maxLength: 2048,
        description: "A URL in place of `endpoint_id`. The request is signed with a throwaway secret.",
      }),
    ),
    event: Type.Optional(
      StringExample("order.created", {
        minLength: 1,
        maxLength: 128,
        description:
          "The name of the event. Default: the first event that the endpoint subscribes to by name, or `order.created`.",
      }),
    ),
    data: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "The data, sent byte for byte. Default: the example of the event type.",
        examples: [{ order: { external_id: "10482" } }],
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: "Whether to only sign and show the request, without sending it." }),
    ),
  },
  { ...strict, title: "WebhookTestRequest", examples: [{ url: "https://hooks.example.com/junction", dry_run: true }] },
);

const TestRequest = Type.Object(
  {
    method: OneOf(TRANSFORM_METHODS),
    url: StringExample("https://hooks.example.com/junction"),
    headers: Headers,
    body: StringExample(BODY, { description: "The exact bytes, as text." }),
  },
  { title: "TestedRequest" },
);
const TestResponse = Type.Object(
  {
    status: Type.Integer({ examples: [200] }),
    headers: Headers,
    body_snippet: StringExample("ok", { description: "The first KiB of the body." }),
    latency_ms: Type.Number({
      description: "The time from the DNS lookup to the end of the response, in milliseconds.",
      examples: [61.9],
    }),
  },
  { title: "TestedResponse" },
);
const TestError = Type.Object(
  {
    class: OneOf([
      "target_refused",
      "dns",
      "connect",
      "tls",
      "timeout",
      "reset",
      "protocol",
      "redirect",
      "http_status",
      "transform",
      "auth",
      "proxy",
    ]),
    detail: StringExample("The receiver answered 503."),
  },
  { title: "TestedError" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["webhook_test"]),
    dry_run: Type.Boolean(),
    delivery_id: WireId("dlv"),
    request: TestRequest,
    signature: StringExample(MAC, { description: "The value of `X-Service-Signature`." }),
    string_to_sign: StringExample(BODY, { description: "The text that `signature` covers: the body." }),
    response: Nullable(TestResponse),
    error: Nullable(TestError),
    secret: Type.Optional(
      StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
        description: "The throwaway secret of a test with `url`.",
      }),
    ),
  },
  { title: "WebhookTest" },
);

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
    headers: Headers,
    body: StringExample(BODY),
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
