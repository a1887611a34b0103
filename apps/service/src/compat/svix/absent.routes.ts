import type { App } from "../../accounts/accounts.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Route } from "./surface.routes.ts";

/** The paths of Svix' document that this API does not have, and what to use in their place. docs/reference/svix.md lists them. */
export const ABSENT: readonly (readonly [what: string, instead: string, paths: readonly string[]])[] = [
  [
    "Transformations",
    "Use `transform` of PATCH /v1/webhook-endpoints/{id}.",
    ["/app/:app/endpoint/:endpoint/transformation"],
  ],
  [
    "Operational webhooks",
    "Subscribe an endpoint of the workspace to system events such as `webhook.endpoint.disabled`.",
    ["/operational-webhook/*"],
  ],
  ["Ingest", "Use sources: POST /v1/inbound-endpoints.", ["/ingest/*"]],
  ["Streams", "Use events and endpoints of the workspace.", ["/stream", "/stream/*"]],
  [
    "Stream portals",
    "Use POST /v1/portal-sessions.",
    ["/auth/stream-logout", "/auth/stream-portal-access/:stream", "/auth/stream/*"],
  ],
  ["Connectors", "Use connectors or transformations of Junction.", ["/connector", "/connector/*"]],
  [
    "Destinations and automatic configuration",
    "Use POST /v1/webhook-endpoints.",
    [
      "/app/:app/destination",
      "/app/:app/destination/:destination",
      "/app/:app/destination/:destination/transformation",
      "/app/:app/destination/:destination/secret/rotate",
      "/app/:app/autoconfig",
      "/app/:app/autoconfig/:autoconfig",
      "/app/:app/autoconfig/:autoconfig/rotate",
    ],
  ],
  [
    "Message pollers",
    "Receive webhooks, or list messages with GET /api/v1/app/{app}/msg.",
    [
      "/app/:app/poller/:sink",
      "/app/:app/poller/:sink/consumer/:consumer",
      "/app/:app/poller/:sink/consumer/:consumer/seek",
    ],
  ],
  [
    "Integrations",
    "Use a key with a tenant: POST /v1/keys.",
    [
      "/app/:app/integration",
      "/app/:app/integration/:integration",
      "/app/:app/integration/:integration/key",
      "/app/:app/integration/:integration/key/rotate",
    ],
  ],
  ["Environment export and import", "Use `junction import svix`.", ["/environment/export", "/environment/import"]],
  [
    "Statistics",
    "Use GET /v1/usage and GET /v1/webhook-endpoints/{id}/stats.",
    ["/stats/*", "/app/:app/endpoint/:endpoint/stats", "/app/:app/endpoint/:endpoint/attempt-stats"],
  ],
  ["Bulk replay", "Use POST /v1/replays, or recover and replay-missing.", ["/app/:app/endpoint/:endpoint/bulk-replay"]],
  ["Example messages", "Use POST /v1/webhooks/test.", ["/app/:app/endpoint/:endpoint/send-example"]],
  [
    "Expunging content",
    "Events are deleted by retention, with their contact, or with their tenant: DELETE /v1/tenants/{tenant}.",
    [
      "/app/:app/msg/bulk-expunge",
      "/app/:app/msg/expunge-all-contents",
      "/app/:app/msg/:msg/content",
      "/app/:app/msg/:msg/attempt/:attempt/content",
    ],
  ],
  ["Prechecks", "Use POST /v1/webhook-endpoints/{id}/explain.", ["/app/:app/msg/precheck/active"]],
  ["The list of background tasks", "Use GET /v1/replays.", ["/background-task"]],
  ["Dashboard access", "Use POST /api/v1/auth/app-portal-access/{app}.", ["/auth/dashboard-access/:app"]],
  ["The import of event types", "Use PUT /v1/event-types.", ["/event-type/import/openapi"]],
];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Answers 400 and not 501, which the libraries would repeat. */
export function absentRoutes(route: Route): void {
  for (const [what, instead, paths] of ABSENT)
    for (const path of paths)
      route([METHODS, path], { operation: undefined }, async () => {
        const detail = `Junction does not have this part of the API of Svix: ${what.toLowerCase()}. ${instead}`;
        throw await Promise.resolve(new ServiceError("bad_request", { detail, extra: { svix_code: "not_supported" } }));
      });
}

export function healthRoute(app: App): void {
  app.get(
    "/api/v1/health",
    { config: { callers: "public" }, schema: { hide: true } },
    async (_request, reply) => await reply.code(204).send(),
  );
}
