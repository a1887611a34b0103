import { t } from "../../lib/lib.ts";
import { MESSAGE_BODY, MessageHeaders } from "../inboxes/inbox.schemas.ts";
import { CONNECTION_STEPS } from "../deliveries/send-to-broker.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";

const MAC = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

export const TestBody = t.Object(
  {
    endpoint_id: t.Optional(t.WireId("ep")),
    url: t.Optional(
      t.StringExample("https://hooks.example.com/junction", {
        minLength: 1,
        maxLength: 2048,
        description: "A URL in place of `endpoint_id`. The request is signed with a throwaway secret.",
      }),
    ),
    event: t.Optional(
      t.StringExample("order.created", {
        minLength: 1,
        maxLength: 128,
        description:
          "The name of the event. Default: the first event that the endpoint subscribes to by name, or `order.created`.",
      }),
    ),
    data: t.Optional(
      t.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "The data, sent byte for byte. Default: the example of the event type.",
        examples: [{ order: { external_id: "10482" } }],
      }),
    ),
    dry_run: t.Optional(t.Boolean({ description: "Whether to only sign and show the request, without sending it." })),
  },
  {
    ...t.strict,
    title: "WebhookTestRequest",
    examples: [{ url: "https://hooks.example.com/junction", dry_run: true }],
  },
);

const TestRequest = t.Object(
  {
    method: t.OneOf(TRANSFORM_METHODS),
    url: t.StringExample("https://hooks.example.com/junction"),
    headers: MessageHeaders,
    body: t.StringExample(MESSAGE_BODY, "The exact bytes, as text."),
  },
  { title: "TestedRequest" },
);
const TestResponse = t.Object(
  {
    status: t.Integer({ examples: [200] }),
    headers: MessageHeaders,
    body_snippet: t.StringExample("ok", "The first KiB of the body."),
    latency_ms: t.Number({
      description: "The time from the DNS lookup to the end of the response, in milliseconds.",
      examples: [61.9],
    }),
  },
  { title: "TestedResponse" },
);
const TestError = t.Object(
  {
    class: t.OneOf([
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
      "broker",
    ]),
    detail: t.StringExample("The receiver answered 503."),
  },
  { title: "TestedError" },
);
export const TestView = t.Object(
  {
    object: t.OneOf(["webhook_test"]),
    dry_run: t.Boolean(),
    delivery_id: t.WireId("dlv"),
    request: TestRequest,
    signature: t.StringExample(MAC, "The value of `X-Service-Signature`."),
    string_to_sign: t.StringExample(MESSAGE_BODY, "The text that `signature` covers: the body."),
    response: t.Nullable(TestResponse),
    confirmation: t.Optional(
      t.StringExample("orders[3] at offset 1042", "What the broker said when it confirmed the message."),
    ),
    error: t.Nullable(TestError),
    secret: t.Optional(
      t.StringExample(
        "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        "The throwaway secret of a test with `url`.",
      ),
    ),
  },
  { title: "WebhookTest" },
);

const STEPS = [...CONNECTION_STEPS, "proxy", "send", "confirm"] as const;
export const ConnectionTestView = t.Object(
  {
    object: t.OneOf(["connection_test"]),
    endpoint_id: t.WireId("ep"),
    ok: t.Boolean({ description: "Whether the service connected and signed in. No message was sent." }),
    steps: t.Array(
      t.Object(
        {
          step: t.OneOf(
            STEPS,
            "`resolve`: the name. `guard`: its addresses. `connect`, `tls` and `sign_in`: the connection. `proxy`: the egress proxy of the installation.",
          ),
          state: t.OneOf(["passed", "failed", "not_reached"]),
        },
        { title: "ConnectionTestStep" },
      ),
    ),
    error: t.Nullable(
      t.Object(
        {
          step: t.OneOf(STEPS, "The step that failed."),
          detail: t.StringExample("The broker refused the user name or the password.", "What to do."),
        },
        { title: "ConnectionTestError" },
      ),
    ),
    duration_ms: t.Integer({ examples: [84] }),
  },
  { title: "ConnectionTest" },
);
