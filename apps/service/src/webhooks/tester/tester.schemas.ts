import { strict, Nullable, OneOf, StringExample, Type, WireId } from "../../lib/lib.ts";
import { MESSAGE_BODY, MessageHeaders } from "../inboxes/inbox.schemas.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";

const MAC = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

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
    headers: MessageHeaders,
    body: StringExample(MESSAGE_BODY, { description: "The exact bytes, as text." }),
  },
  { title: "TestedRequest" },
);
const TestResponse = Type.Object(
  {
    status: Type.Integer({ examples: [200] }),
    headers: MessageHeaders,
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
    string_to_sign: StringExample(MESSAGE_BODY, { description: "The text that `signature` covers: the body." }),
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
