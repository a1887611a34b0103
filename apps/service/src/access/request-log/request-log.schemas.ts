import { t } from "../../lib/lib.ts";

const Operation = t.StringExample("events.fire", {
  maxLength: 200,
  description: "The dotted name of the requested operation.",
});
const Method = t.Unsafe<string>({
  type: "string",
  enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  description: "The HTTP method.",
});
const Status = t.Integer({
  minimum: 100,
  maximum: 599,
  examples: [422],
  description: "The status code of the response.",
});
const ErrorCode = t.StringExample("validation_failed", { maxLength: 100, description: "The code of the refusal." });
const Address = t.StringExample("203.0.113.20", {
  maxLength: 45,
  description: "The address that the request came from.",
});

export const RequestShape = t.Object(
  {
    id: t.WireId("req"),
    object: t.OneOf(["request"]),
    operation: Operation,
    method: Method,
    path: t.StringExample("/v1/deliveries/{id}/replay", { description: "The path template, without the arguments." }),
    status: Status,
    error_code: t.Nullable(ErrorCode),
    duration_ms: t.Number({
      minimum: 0,
      examples: [4.2],
      description: "The time until the response was sent, in milliseconds.",
    }),
    key_id: t.Nullable(t.WireId("key")),
    member_id: t.Nullable(t.WireId("mem")),
    ip: Address,
    ...t.ownershipFields,
  },
  { title: "LoggedRequest" },
);

export const RequestListQuery = t.Object(
  {
    operation: t.Optional(Operation),
    method: t.Optional(Method),
    status: t.Optional(Status),
    status_class: t.Optional(
      t.OneOf(["2xx", "3xx", "4xx", "5xx"], "The class of the response's status. Ignored if `status` is set."),
    ),
    error_code: t.Optional(ErrorCode),
    key_id: t.Optional(t.WireId("key")),
    ip: t.Optional(Address),
    created_after: t.Optional(t.DateTimeFilter("Received at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Received before this time.")),
    ...t.PageQuery,
  },
  t.strict,
);
