import { callerOf, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { t } from "../../lib/lib.ts";
import type { ConnectionTester } from "./connection-test.ts";
import type { Tester } from "./tester.ts";
import { ConnectionTestView, TestBody, TestView } from "./tester.schemas.ts";

export function testerRoutes(app: App, tester: Tester): void {
  route(app, "POST /v1/webhooks/test", {
    config: {
      operation: "webhooks.test",
      tenants: true,
      callers: writers,
      doesWith: { endpoint_id: "events.fire" },
      limit: "webhooks.test",
      remote: true,
      errors: ["not_found", "url_blocked"],
    },
    operationId: "testWebhook",
    summary: "Send or preview a signed sample",
    description:
      "Returns the exact bytes of the request, and the receiver's response. The request is not retried and does not appear in the delivery log.",
    body: TestBody,
    response: { 200: TestView },
    handler: async (request) => {
      const { data: _parsed, ...input } = request.body;
      return await tester.test(callerOf(request).scope, { ...input, data: request.scanned?.slice(["data"]) });
    },
  });
}

export function connectionTestRoutes(app: App, testConnection: ConnectionTester): void {
  route(app, "POST /v1/webhook-endpoints/:id/test-connection", {
    config: {
      operation: "webhook_endpoints.test_connection",
      callers: writers,
      limit: "webhooks.test",
      remote: true,
      errors: ["conflict"],
    },
    operationId: "testWebhookEndpointConnection",
    summary: "Test the connection to a broker",
    description:
      "Connects to the destination of an endpoint and signs in, as an attempt does, and names the step that failed. No message is sent: `POST /v1/webhooks/test` sends one. For the kinds of AWS, the sign-in is one signed read.",
    params: t.Object({ id: t.WireId("ep") }),
    response: { 200: ConnectionTestView },
    handler: async (request) => await testConnection(callerOf(request).scope, request.params.id),
  });
}
