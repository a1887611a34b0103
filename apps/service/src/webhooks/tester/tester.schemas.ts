import { closed, Nullable, OneOf, Sample, Timestamp, Type, WireId } from "../../lib/lib.ts";

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
      Sample("https://hooks.example.com/junction", {
        minLength: 1,
        maxLength: 2048,
        description: "In place of `endpoint_id`; signed with a throw-away secret.",
      }),
    ),
    event: Type.Optional(
      Sample("order.created", {
        minLength: 1,
        maxLength: 128,
        description: "By default the first that the endpoint names, or `order.created`.",
      }),
    ),
    data: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "Sent byte for byte; by default the event's example.",
        examples: [{ order: { external_id: "10482" } }],
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Sign and show it, post nothing." })),
  },
  { ...closed, title: "WebhookTestRequest", examples: [{ url: "https://hooks.example.com/junction", dry_run: true }] },
);

const TestRequest = Type.Object(
  {
    method: OneOf(["POST"]),
    url: Sample("https://hooks.example.com/junction"),
    headers: Headers,
    body: Sample(BODY, { description: "The exact bytes, as text." }),
  },
  { title: "TestedRequest" },
);
const TestResponse = Type.Object(
  {
    status: Type.Integer({ examples: [200] }),
    headers: Headers,
    body_snippet: Sample("ok", { description: "The first KiB." }),
    latency_ms: Type.Number({
      description: "From the look-up of the name to the end of the answer.",
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
    ]),
    detail: Sample("The receiver answered 503."),
  },
  { title: "TestedError" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["webhook_test"]),
    dry_run: Type.Boolean(),
    delivery_id: WireId("dlv"),
    request: TestRequest,
    signature: Sample(MAC, { description: "The value of `X-Service-Signature`." }),
    string_to_sign: Sample(BODY, { description: "What `signature` covers: the body." }),
    response: Nullable(TestResponse),
    error: Nullable(TestError),
    secret: Type.Optional(
      Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
        description: "The throw-away secret of a bare `url`.",
      }),
    ),
  },
  { title: "WebhookTest" },
);

const behaviour = {
  status: Type.Integer({ minimum: 200, maximum: 599, description: "Of its answers." }),
  delay_ms: Type.Integer({ minimum: 0, maximum: 20_000, description: "How long an answer waits." }),
  fail_times: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "So many further messages are answered 500; it counts down.",
  }),
  body: Nullable(
    Sample("ok", { maxLength: 16_384, description: 'Answered as plain text; null for `{"received":true}`.' }),
  ),
};
export const BehaviourView = Type.Object(behaviour, { title: "InboxBehaviour" });
export const BehaviourBody = Type.Partial(Type.Object(behaviour), { ...closed, title: "InboxBehaviourChange" });

export const InboxMessage = Type.Object(
  {
    id: WireId("inb"),
    received_at: Timestamp,
    delivery_id: Nullable(WireId("dlv")),
    event: Nullable(Sample("order.created")),
    signature: OneOf(["valid", "invalid", "unsigned"]),
    headers: Headers,
    body: Sample(BODY),
    answered: Type.Integer({ description: "The status of our answer.", examples: [200] }),
  },
  { title: "InboxMessage" },
);
/** Unless it was told otherwise. */
export const InboxAnswer = Type.Unsafe<unknown>({
  title: "InboxAnswer",
  type: "object",
  required: ["received"],
  properties: { received: { type: "boolean" } },
});
export const InboxView = Type.Object(
  {
    object: OneOf(["inbox"]),
    url: Sample("https://junction.example.com/inbox/Zk3vQ1tqJ8wL5xYb2NcR"),
    behaviour: BehaviourView,
    messages: Type.Array(InboxMessage, { description: "Newest first, at most 100; the last 200 are kept." }),
  },
  { title: "Inbox" },
);
