import { closed, ListOf, Moment, Nullable, OneOf, Owned, PageQuery, Sample, Type, WireId } from "../../lib/lib.ts";
import { callerOf, readers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Requests } from "./request-log.ts";

const Operation = Sample("events.fire", { maxLength: 200, description: "The dotted name of what was asked for." });
const Method = Type.Unsafe<string>({
  type: "string",
  enum: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  description: "The HTTP method.",
});
const Status = Type.Integer({ minimum: 100, maximum: 599, examples: [422], description: "Of the answer." });
const ErrorCode = Sample("validation_failed", { maxLength: 100, description: "The code of the refusal." });
const Address = Sample("203.0.113.20", { maxLength: 45, description: "The address that the request came from." });

const RequestShape = Type.Object(
  {
    id: WireId("req"),
    object: OneOf(["request"]),
    operation: Operation,
    method: Method,
    path: Sample("/v1/deliveries/{id}/replay", { description: "Its template, without the arguments." }),
    status: Status,
    error_code: Nullable(ErrorCode),
    duration_ms: Type.Number({ minimum: 0, examples: [4.2], description: "Until the answer was sent." }),
    key_id: Nullable(WireId("key")),
    member_id: Nullable(WireId("mem")),
    ip: Address,
    ...Owned,
  },
  { title: "LoggedRequest" },
);

const RequestListQuery = Type.Object(
  {
    operation: Type.Optional(Operation),
    method: Type.Optional(Method),
    status: Type.Optional(Status),
    status_class: Type.Optional(OneOf(["2xx", "3xx", "4xx", "5xx"], "Of the answer; `status` goes before it.")),
    error_code: Type.Optional(ErrorCode),
    key_id: Type.Optional(WireId("key")),
    ip: Type.Optional(Address),
    created_after: Type.Optional(Moment("Received from here on.")),
    created_before: Type.Optional(Moment("Received before this.")),
    ...PageQuery,
  },
  closed,
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
          "Newest first, for 30 days, a second or two behind. Each request whose credential held, without bodies and arguments; of the console's own, what it did or was refused. Beyond 500 answers of a kind in a second and process they are counted (`unlogged_requests` of the usage) and not kept.",
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
        description: "By the id that its answer had as `X-Service-Request-Id`.",
        params: Type.Object({ id: WireId("req") }),
        response: { 200: RequestShape },
      },
    },
    async (request) => await requests.get(callerOf(request).scope, request.params.id),
  );
}
