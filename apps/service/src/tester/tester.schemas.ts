import { closed, Nullable, OneOf, Timestamp, Type, WireId } from "../kernel/kernel.ts";

const Headers = Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } });
const Text = (description: string): ReturnType<typeof Type.String> => Type.String({ description });

export const TestBody = Type.Object(
  {
    endpoint_id: Type.Optional(WireId("ep")),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: "In place of `endpoint_id`; signed with a throw-away secret.",
      }),
    ),
    event: Type.Optional(
      Type.String({
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
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Sign and show it, post nothing." })),
  },
  closed,
);

const TestRequest = Type.Object({
  method: OneOf(["POST"]),
  url: Type.String(),
  headers: Headers,
  body: Text("The exact bytes, as text."),
});
const TestResponse = Type.Object({
  status: Type.Integer(),
  headers: Headers,
  body_snippet: Text("The first KiB."),
  latency_ms: Type.Number({ description: "From the look-up of the name to the end of the answer." }),
});
const TestError = Type.Object({
  class: OneOf(["target_refused", "dns", "connect", "tls", "timeout", "reset", "protocol", "redirect", "http_status"]),
  detail: Type.String(),
});
export const TestView = Type.Object({
  object: OneOf(["webhook_test"]),
  dry_run: Type.Boolean(),
  delivery_id: WireId("dlv"),
  request: TestRequest,
  signature: Text("The value of `X-Service-Signature`."),
  string_to_sign: Text("What `signature` covers: the body."),
  response: Nullable(TestResponse),
  error: Nullable(TestError),
  secret: Type.Optional(Text("The throw-away secret of a bare `url`.")),
});

const behaviour = {
  status: Type.Integer({ minimum: 200, maximum: 599 }),
  delay_ms: Type.Integer({ minimum: 0, maximum: 20_000 }),
  fail_times: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "So many further messages are answered 500; it counts down.",
  }),
  body: Nullable(
    Type.String({ maxLength: 16_384, description: 'Answered as plain text; null for `{"received":true}`.' }),
  ),
};
export const BehaviourView = Type.Object(behaviour);
export const BehaviourBody = Type.Partial(Type.Object(behaviour), closed);

const InboxMessage = Type.Object({
  id: WireId("inb"),
  received_at: Timestamp,
  delivery_id: Nullable(Type.String()),
  event: Nullable(Type.String()),
  signature: OneOf(["valid", "invalid", "unsigned"]),
  headers: Headers,
  body: Type.String(),
  answered: Type.Integer({ description: "The status of our answer." }),
});
export const InboxView = Type.Object({
  object: OneOf(["inbox"]),
  url: Type.String(),
  behaviour: BehaviourView,
  messages: Type.Array(InboxMessage, { description: "Newest first, at most 100; the last 200 are kept." }),
});
export const ReceivedView = Type.Object({ received: Type.Boolean() });
