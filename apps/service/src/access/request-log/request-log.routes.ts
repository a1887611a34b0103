import { t } from "../../lib/lib.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Requests } from "./request-log.ts";
import { RequestListQuery, RequestShape } from "./request-log.schemas.ts";

export function requestRoutes(app: App, requests: Requests): void {
  route(app, "GET /v1/requests", {
    config: { operation: "requests.list", callers: readers, errors: ["not_found"] },
    operationId: "listRequests",
    summary: "List API requests",
    description:
      "Returns the requests of the last 30 days, newest first, with a delay of one or two seconds. The log contains each request with a valid credential, without bodies and arguments. Of the console's own requests, it contains only those that changed something or were refused. Each process logs at most 500 requests per second with a status below 400, and 500 others. Further requests are only counted (`unlogged_requests` of the usage).",
    querystring: RequestListQuery,
    response: { 200: t.ListOf(RequestShape) },
    handler: async (request) => await requests.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/requests/:id", {
    config: { operation: "requests.get", callers: readers },
    operationId: "getRequest",
    summary: "Show an API request",
    description: "The id is the `X-Service-Request-Id` header of the request's response.",
    params: t.Object({ id: t.WireId("req") }),
    response: { 200: RequestShape },
    handler: async (request) => await requests.get(callerOf(request).scope, request.params.id),
  });
}
