import { t } from "../lib/lib.ts";
import { callerOf, keepers, readers, unscoped, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import { CallerShape, TestBody, TestShape, UsageShape } from "./key-insight.schemas.ts";
import type { AccessChecks } from "./access-checks.ts";

const IdParams = t.Object({ id: t.WireId("key") });

/** Shows the rights and the usage of the caller's own key, and of any key to callers that manage keys. */
export function keyInsightRoutes(app: App, { insight }: AccessChecks): void {
  route(app, "GET /v1/me", {
    config: { operation: "me.get", tenants: true, callers: unscoped(readers) },
    operationId: "getCaller",
    summary: "Show the caller",
    description: "Returns the caller's identity, rights and remaining limits.",
    response: { 200: CallerShape },
    handler: async (request) => await insight.me(callerOf(request)),
  });

  route(app, "GET /v1/keys/:id/usage", {
    config: { operation: "keys.usage", callers: keepers },
    operationId: "getKeyUsage",
    summary: "Show a key's usage",
    description: "Returns how much of its limits the key has used, and its calls of the last 24 hours.",
    params: IdParams,
    response: { 200: UsageShape },
    handler: async (request) => await insight.usage(callerOf(request).scope, request.params.id),
  });

  route(app, "POST /v1/keys/:id/test", {
    config: { operation: "keys.test", callers: keepers, access: "read", errors: ["action_unknown"] },
    operationId: "testKey",
    summary: "Test an API key",
    description:
      "Returns whether a correctly signed call of this key would pass the access checks now. Nothing is called or counted.",
    params: IdParams,
    body: TestBody,
    response: { 200: TestShape },
    handler: async (request) => await insight.trial(callerOf(request).scope, request.params.id, request.body),
  });
}
