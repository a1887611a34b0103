import { t } from "../../lib/lib.ts";
import { EventName } from "../endpoints/endpoints.schemas.ts";
import { headersSchema } from "../requests/headers.schemas.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";
import { retransform } from "./endpoint-replays.schemas.ts";

const DELIVERY_STATES = ["pending", "delivered", "failed", "cancelled", "filtered"] as const;
const ERROR_CLASSES = [
  "http_status",
  "target_refused",
  "dns",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol",
  "redirect",
  "transform",
  "too_expensive",
  "auth",
  "proxy",
  "broker",
] as const;

export const ErrorClass = t.Unsafe<string>({
  type: "string",
  enum: ERROR_CLASSES,
  description:
    "The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed. `broker`: the broker could not be reached, refused the message, or did not confirm it; the detail begins with the step that failed.",
});
const deliveryView = {
  id: t.WireId("dlv"),
  object: t.OneOf(["delivery"]),
  event: EventName,
  event_id: t.WireId("evt"),
  endpoint_id: t.WireId("ep"),
  state: t.OneOf(DELIVERY_STATES, "Filtered: the transformation of the endpoint returned null."),
  light: t.Unsafe<"green" | "amber" | "red" | null>({
    type: "string",
    enum: ["green", "amber", "red", null],
    nullable: true,
    description:
      "Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered.",
  }),
  attempt_count: t.Integer({ examples: [2] }),
  next_attempt_at: t.Nullable(t.Timestamp),
  blocked_by: t.Nullable(t.WireId("dlv")),
  ordering_key: t.Nullable(
    t.StringExample(
      '"ord_4711"',
      "The key by which the order of the endpoint is kept, as JSON text with strings unescaped. Null: the delivery is not ordered.",
    ),
  ),
  sequence: t.Nullable(
    t.Integer({
      minimum: 1,
      examples: [7],
      description: "The number among the deliveries with the same key, from 1. Null until the delivery has its place.",
    }),
  ),
  last_status_code: t.Nullable(t.Integer({ examples: [503] })),
  last_error_class: t.Nullable(ErrorClass),
  completed_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
};
export const DeliveryView = t.Object(deliveryView, { title: "Delivery" });
const RequestView = t.Object(
  {
    method: t.OneOf(TRANSFORM_METHODS),
    url: t.StringExample("https://hooks.example.com/junction"),
    headers: headersSchema(
      { "X-Service-Event": "invoice.paid" },
      "The headers as they are sent, without the values of secrets.",
    ),
    body: t.StringExample('{"event":"invoice.paid","data":{}}', "The exact bytes, as text."),
  },
  { title: "SentRequest" },
);
const AppliedTransform = t.Object(
  {
    version: t.Integer({ minimum: 0, examples: [3], description: "The version of the transformation that ran." }),
    before: t.StringExample(
      '{"event":"invoice.paid","data":{}}',
      "What the transformation read, as JSON text. `request` is what it made of it.",
    ),
    log: t.Array(t.StringExample("There is no value at $.data.total."), {
      description: "What it reported, such as paths without a value.",
    }),
  },
  { title: "AppliedTransform" },
);
export const DeliveryDetail = t.Object(
  {
    ...deliveryView,
    request: t.Nullable(RequestView),
    transform: t.Nullable(AppliedTransform),
    ladder_seconds: t.Array(t.Number({ examples: [60] }), {
      description:
        "The waits of the retry schedule. If the attempt after the last wait fails, the delivery is marked as failed.",
    }),
  },
  { title: "DeliveryDetail" },
);
export const DeliveryListView = t.ListOf(DeliveryView);
export const deliveryFilter = {
  endpoint_id: t.Optional(t.WireId("ep")),
  tenant: t.Optional(t.Tenant("The tenant of the endpoint.")),
  event: t.Optional(EventName),
  status_code: t.Optional(
    t.Integer({ minimum: 100, maximum: 599, description: "The status code of the last attempt.", examples: [503] }),
  ),
  status_class: t.Optional(
    t.OneOf(["1xx", "2xx", "3xx", "4xx", "5xx"], "The class of the status code of the last attempt."),
  ),
  error_class: t.Optional(t.OneOf(ERROR_CLASSES, "The kind of error of the last attempt.")),
  attempt_count: t.Optional(
    t.Integer({ minimum: 0, maximum: 32_767, description: "The number of attempts that were made.", examples: [6] }),
  ),
  created_after: t.Optional(t.DateTimeFilter("Created at or after this time.")),
  created_before: t.Optional(t.DateTimeFilter("Created before this time.")),
};
export const DeliveryListQuery = t.Object(
  {
    state: t.Optional(t.OneOf(DELIVERY_STATES, "The state of the delivery.")),
    ...deliveryFilter,
    payload: t.Optional(
      t.StringExample("$.order.id=10482", {
        maxLength: 700,
        description:
          "A path into the event's data and the value at that path, exactly as it was written. A page searches at most 5000 deliveries. It can therefore be short and still have a next page.",
      }),
    ),
    q: t.Optional(
      t.StringExample("invoice.paid", {
        maxLength: 128,
        description: "The id of a delivery or of an event, or the name of an event.",
      }),
    ),
    ...t.PageQuery,
  },
  t.strict,
);

export const AttemptView = t.Object(
  {
    id: t.WireId("att"),
    object: t.OneOf(["attempt"]),
    delivery_id: t.WireId("dlv"),
    number: t.Integer({ minimum: 1 }),
    trigger: t.OneOf(["ladder", "replay"]),
    started_at: t.Timestamp,
    status_code: t.Nullable(t.Integer({ examples: [503] })),
    error_class: t.Nullable(ErrorClass),
    error_detail: t.Nullable(t.StringExample("The receiver answered 503.")),
    latency_ms: t.Object(
      {
        dns: t.Number(),
        connect: t.Number(),
        tls: t.Number(),
        first_byte: t.Number(),
        total: t.Number(),
      },
      {
        description:
          "In milliseconds. `connect` and `tls` are 0 on a connection that was already open. `first_byte` starts when the request was written. `total` covers all phases.",
        title: "Latency",
        examples: [{ dns: 1.2, connect: 8.4, tls: 17.9, first_byte: 61.3, total: 61.9 }],
      },
    ),
    resolved_ip: t.Nullable(t.StringExample("203.0.113.20")),
    response_headers: t.Nullable(headersSchema({ "content-type": "text/plain" }, "The headers of the response.")),
    response_snippet: t.Nullable(t.StringExample("upstream timed out", "The first KiB of the response.")),
    response_truncated: t.Boolean(),
    ...t.ownershipFields,
  },
  { title: "Attempt" },
);
export const AttemptListView = t.ListOf(AttemptView);
export const ReplayQuery = t.Object({ retransform }, t.strict);
export const AttemptListQuery = t.Object(t.PageQuery, t.strict);
