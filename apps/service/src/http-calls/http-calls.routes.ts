import { memberText, sendText } from "../access/access.ts";
import { spliced, t } from "../lib/lib.ts";
import { callerOf, operators, readers, writers, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { HttpCalls } from "./calls.ts";
import * as shapes from "./http-calls.schemas.ts";

const CallParams = t.Object({ id: t.WireId("call") });

export function httpCallRoutes(app: App, calls: HttpCalls): void {
  testRoute(app, calls);
  route(app, "GET /v1/http-calls", {
    config: { operation: "http_calls.list", callers: readers, errors: ["not_found"] },
    operationId: "listHttpCalls",
    summary: "List HTTP calls",
    description: "Returns the requests of rules and workflows in the caller's environment, newest first.",
    querystring: shapes.CallListQuery,
    response: { 200: shapes.CallListView },
    handler: async (request, reply) => await sendText(reply, await calls.list(callerOf(request).scope, request.query)),
  });

  route(app, "GET /v1/http-calls/:id", {
    config: { operation: "http_calls.get", callers: readers },
    operationId: "getHttpCall",
    summary: "Show an HTTP call",
    description: "Returns the request, without secrets, and the response of the last try.",
    params: CallParams,
    response: { 200: shapes.CallView },
    handler: async (request, reply) =>
      await sendText(reply, await calls.get(callerOf(request).scope, request.params.id)),
  });

  route(app, "POST /v1/http-calls/:id/replay", {
    config: { operation: "http_calls.replay", callers: operators, errors: ["conflict"] },
    operationId: "replayHttpCall",
    summary: "Replay an HTTP call",
    description:
      "Sends the same request again, as a new call with an `Idempotency-Key` of its own. The run that made the call does not change. A call that has not ended is refused.",
    params: CallParams,
    response: { 202: shapes.CallView },
    handler: async (request, reply) =>
      await sendText(reply, await calls.replay(callerOf(request).scope, request.params.id)),
  });
}

function testRoute(app: App, calls: HttpCalls): void {
  route(app, "POST /v1/http-calls/test", {
    config: { operation: "http_calls.test", callers: writers, remote: true },
    operationId: "testHttpCall",
    summary: "Test an HTTP call",
    description:
      "Fills in the values, sends the request once and returns the response. With `dry_run`, it only returns the request. Nothing is stored. A call with `sign` is signed with a new secret, which the response shows: the secrets of rules and workflows sign no tests.",
    body: shapes.TestBody,
    response: { 200: shapes.TestView },
    handler: async (request, reply) => {
      const { event = "test.event", dry_run: dryRun = false } = request.body;
      const result = await calls.test(callerOf(request), {
        call: memberText(request, "request") ?? "{}",
        event,
        data: memberText(request, "data") ?? "{}",
        contact: memberText(request, "contact"),
        input: memberText(request, "input"),
        steps: memberText(request, "steps"),
        dryRun,
      });
      return await sendText(reply, resultText(result));
    },
  });
}

function resultText({ request, response, ...result }: Awaited<ReturnType<HttpCalls["test"]>>): string {
  const head = {
    object: "http_call_test",
    request,
    sent: result.sent,
    succeeded: result.succeeded,
    error_class: result.errorClass,
    error: result.error,
    duration_ms: result.durationMs,
    ...(result.secret === undefined ? {} : { secret: result.secret }),
  };
  return spliced(head, { response });
}
