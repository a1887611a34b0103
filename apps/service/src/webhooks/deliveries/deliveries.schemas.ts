import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
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
] as const;

const ErrorClass = Type.Unsafe<string>({
  type: "string",
  enum: ERROR_CLASSES,
  description:
    "The kind of error. Null if there was no error. `too_expensive`: the endpoint's filter takes too long for the data of the event, so nothing was sent. `auth`: the service could not sign in to the receiver, so nothing was sent. `proxy`: the egress proxy of the installation failed; the attempt is postponed.",
});
const deliveryView = {
  id: WireId("dlv"),
  object: OneOf(["delivery"]),
  event: EventName,
  event_id: WireId("evt"),
  endpoint_id: WireId("ep"),
  state: OneOf(DELIVERY_STATES, "Filtered: the transformation of the endpoint returned null."),
  light: Type.Unsafe<"green" | "amber" | "red" | null>({
    type: "string",
    enum: ["green", "amber", "red", null],
    nullable: true,
    description:
      "Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered.",
  }),
  attempt_count: Type.Integer({ examples: [2] }),
  next_attempt_at: Nullable(Timestamp),
  blocked_by: Nullable(WireId("dlv")),
  ordering_key: Nullable(
    StringExample('"ord_4711"', {
      description:
        "The key by which the order of the endpoint is kept, as JSON text with strings unescaped. Null: the delivery is not ordered.",
    }),
  ),
  sequence: Nullable(
    Type.Integer({
      minimum: 1,
      examples: [7],
      description: "The number among the deliveries with the same key, from 1. Null until the delivery has its place.",
    }),
  ),
  last_status_code: Nullable(Type.Integer({ examples: [503] })),
  last_error_class: Nullable(ErrorClass),
  completed_at: Nullable(Timestamp),
  ...ownershipFields,
};
export const DeliveryView = Type.Object(deliveryView, { title: "Delivery" });
const RequestView = Type.Object(
  {
    method: OneOf(TRANSFORM_METHODS),
    url: StringExample("https://hooks.example.com/junction"),
    headers: headersSchema(
      { "X-Service-Event": "invoice.paid" },
      "The headers as they are sent, without the values of secrets.",
    ),
    body: StringExample('{"event":"invoice.paid","data":{}}', { description: "The exact bytes, as text." }),
  },
  { title: "SentRequest" },
);
const AppliedTransform = Type.Object(
  {
    version: Type.Integer({ minimum: 0, examples: [3], description: "The version of the transformation that ran." }),
    before: StringExample('{"event":"invoice.paid","data":{}}', {
      description: "What the transformation read, as JSON text. `request` is what it made of it.",
    }),
    log: Type.Array(StringExample("There is no value at $.data.total."), {
      description: "What it reported, such as paths without a value.",
    }),
  },
  { title: "AppliedTransform" },
);
export const DeliveryDetail = Type.Object(
  {
    ...deliveryView,
    request: Nullable(RequestView),
    transform: Nullable(AppliedTransform),
    ladder_seconds: Type.Array(Type.Number({ examples: [60] }), {
      description:
        "The waits of the retry schedule. If the attempt after the last wait fails, the delivery is marked as failed.",
    }),
  },
  { title: "DeliveryDetail" },
);
export const DeliveryListView = ListOf(DeliveryView);
export const deliveryFilter = {
  endpoint_id: Type.Optional(WireId("ep")),
  tenant: Type.Optional(Tenant("The tenant of the endpoint.")),
  event: Type.Optional(EventName),
  status_code: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: "The status code of the last attempt.", examples: [503] }),
  ),
  status_class: Type.Optional(
    OneOf(["1xx", "2xx", "3xx", "4xx", "5xx"], "The class of the status code of the last attempt."),
  ),
  error_class: Type.Optional(OneOf(ERROR_CLASSES, "The kind of error of the last attempt.")),
  attempt_count: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 32_767, description: "The number of attempts that were made.", examples: [6] }),
  ),
  created_after: Type.Optional(DateTimeFilter("Created at or after this time.")),
  created_before: Type.Optional(DateTimeFilter("Created before this time.")),
};
export const DeliveryListQuery = Type.Object(
  {
    state: Type.Optional(OneOf(DELIVERY_STATES, "The state of the delivery.")),
    ...deliveryFilter,
    payload: Type.Optional(
      StringExample("$.order.id=10482", {
        maxLength: 700,
        description:
          "A path into the event's data and the value at that path, exactly as it was written. A page searches at most 5000 deliveries. It can therefore be short and still have a next page.",
      }),
    ),
    q: Type.Optional(
      StringExample("invoice.paid", {
        maxLength: 128,
        description: "The id of a delivery or of an event, or the name of an event.",
      }),
    ),
    ...PageQuery,
  },
  strict,
);

export const AttemptView = Type.Object(
  {
    id: WireId("att"),
    object: OneOf(["attempt"]),
    delivery_id: WireId("dlv"),
    number: Type.Integer({ minimum: 1 }),
    trigger: OneOf(["ladder", "replay"]),
    started_at: Timestamp,
    status_code: Nullable(Type.Integer({ examples: [503] })),
    error_class: Nullable(ErrorClass),
    error_detail: Nullable(StringExample("The receiver answered 503.")),
    latency_ms: Type.Object(
      {
        dns: Type.Number(),
        connect: Type.Number(),
        tls: Type.Number(),
        first_byte: Type.Number(),
        total: Type.Number(),
      },
      {
        description:
          "In milliseconds. `connect` and `tls` are 0 on a connection that was already open. `first_byte` starts when the request was written. `total` covers all phases.",
        title: "Latency",
        examples: [{ dns: 1.2, connect: 8.4, tls: 17.9, first_byte: 61.3, total: 61.9 }],
      },
    ),
    resolved_ip: Nullable(StringExample("203.0.113.20")),
    response_headers: Nullable(headersSchema({ "content-type": "text/plain" }, "The headers of the response.")),
    response_snippet: Nullable(StringExample("upstream timed out", { description: "The first KiB of the response." })),
    response_truncated: Type.Boolean(),
    ...ownershipFields,
  },
  { title: "Attempt" },
);
export const AttemptListView = ListOf(AttemptView);
export const ReplayQuery = Type.Object({ retransform }, strict);
export const AttemptListQuery = Type.Object(PageQuery, strict);
