import { callerOf, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Tester } from "./tester.ts";
import { TestBody, TestView } from "./tester.schemas.ts";

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
