import {
  strict,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Type,
  WireId,
} from "../../lib/lib.ts";

const Operation = StringExample("events.fire", {
  maxLength: 200,
  description: "The dotted name of the requested operation.",
});
const Method = Type.Unsafe<string>({
  type: "string",
  enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  description: "The HTTP method.",
});
const Status = Type.Integer({
  minimum: 100,
  maximum: 599,
  examples: [422],
  description: "The status code of the response.",
});
const ErrorCode = StringExample("validation_failed", { maxLength: 100, description: "The code of the refusal." });
const Address = StringExample("203.0.113.20", {
  maxLength: 45,
  description: "The address that the request came from.",
});

export const RequestShape = Type.Object(
  {
    id: WireId("req"),
    object: OneOf(["request"]),
    operation: Operation,
    method: Method,
    path: StringExample("/v1/deliveries/{id}/replay", { description: "The path template, without the arguments." }),
    status: Status,
    error_code: Nullable(ErrorCode),
    duration_ms: Type.Number({
      minimum: 0,
      examples: [4.2],
      description: "The time until the response was sent, in milliseconds.",
    }),
    key_id: Nullable(WireId("key")),
    member_id: Nullable(WireId("mem")),
    ip: Address,
    ...ownershipFields,
  },
  { title: "LoggedRequest" },
);

export const RequestListQuery = Type.Object(
  {
    operation: Type.Optional(Operation),
    method: Type.Optional(Method),
    status: Type.Optional(Status),
    status_class: Type.Optional(
      OneOf(["2xx", "3xx", "4xx", "5xx"], "The class of the response's status. Ignored if `status` is set."),
    ),
    error_code: Type.Optional(ErrorCode),
    key_id: Type.Optional(WireId("key")),
    ip: Type.Optional(Address),
    created_after: Type.Optional(DateTimeFilter("Received at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Received before this time.")),
    ...PageQuery,
  },
  strict,
);
