import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { callerOf, readers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Requests } from "./request-log.ts";

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

const RequestShape = Type.Object(
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

const RequestListQuery = Type.Object(
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

export function requestRoutes(app: App, requests: Requests): void {
  app.get(
    "/v1/requests",
    {
      config: { operation: "requests.list", callers: readers, errors: ["not_found"] },
      schema: {
        operationId: "listRequests",
        summary: "List API requests",
        description:
          "Returns the requests of the last 30 days, newest first, with a delay of one or two seconds. The log contains each request with a valid credential, without bodies and arguments. Of the console's own requests, it contains only those that changed something or were refused. Each process logs at most 500 requests per second with a status below 400, and 500 others. Further requests are only counted (`unlogged_requests` of the usage).",
        querystring: RequestListQuery,
        response: { 200: ListOf(RequestShape) },
      },
    },
    async (request) => await requests.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/requests/:id",
    {
      config: { operation: "requests.get", callers: readers },
      schema: {
        operationId: "getRequest",
        summary: "Show an API request",
        description: "The id is the `X-Service-Request-Id` header of the request's response.",
        params: Type.Object({ id: WireId("req") }),
        response: { 200: RequestShape },
      },
    },
    async (request) => await requests.get(callerOf(request).scope, request.params.id),
  );
}
