import { markTenant, sendText } from "../../access/access.ts";
import { t } from "../../lib/lib.ts";
import { callerOf, owners, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { RegenerateBody, RevealedHeaders, SecretView } from "./endpoint-secrets.schemas.ts";
import { endpointText } from "./endpoint-view.ts";
import { EndpointWithSecret } from "./endpoints.schemas.ts";
import type { Endpoints } from "./endpoints.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });

export function endpointSecretRoutes(app: App, endpoints: Endpoints): void {
  route(app, "GET /v1/webhook-endpoints/:id/secret", {
    config: { operation: "webhook_endpoints.secret", tenants: true, callers: writers, audit: "endpoint" },
    operationId: "revealWebhookSecret",
    summary: "Show a signing secret",
    description:
      "For owners, and for the key or person that created the secret. Each call is audited. While a regenerated secret overlaps with the previous one, owners see both.",
    params: EndpointParams,
    response: { 200: SecretView },
    handler: async (request) => {
      await markTenant(endpoints, request, request.params.id);
      return await endpoints.reveal(callerOf(request), request.params.id);
    },
  });

  route(app, "POST /v1/webhook-endpoints/:id/secret/regenerate", {
    config: {
      operation: "webhook_endpoints.secret.regenerate",
      tenants: true,
      callers: writers,
      audit: "endpoint",
      errors: ["conflict"],
    },
    operationId: "regenerateWebhookSecret",
    summary: "Regenerate a signing secret",
    description:
      "With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure.",
    params: EndpointParams,
    body: RegenerateBody,
    response: { 200: EndpointWithSecret },
    handler: async (request, reply) => {
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      const changed = await endpoints.regenerate(callerOf(request), request.params.id, overlapSeconds);
      return await sendText(reply, endpointText(changed));
    },
  });

  endpointHeaderRoute(app, endpoints);
}

function endpointHeaderRoute(app: App, endpoints: Endpoints): void {
  route(app, "GET /v1/webhook-endpoints/:id/headers", {
    config: {
      operation: "webhook_endpoints.headers",
      tenants: true,
      audit: "endpoint",
      callers: owners,
      errors: ["conflict"],
    },
    operationId: "revealWebhookHeaders",
    summary: "Show the values of an endpoint's headers",
    description: "For owners only, and audited. Other responses show `[redacted]` instead of the values.",
    params: EndpointParams,
    response: { 200: RevealedHeaders },
    handler: async (request) => {
      await markTenant(endpoints, request, request.params.id);
      return await endpoints.revealHeaders(callerOf(request).scope, request.params.id);
    },
  });
}
