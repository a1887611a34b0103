import { isDeepStrictEqual } from "node:util";
import { parseJson, ServiceError } from "../../lib/lib.ts";
import { sentHeaders } from "../../access/access.ts";
import { callerOf, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { ConnectorRuns } from "./connector-runs.ts";
import * as shapes from "./connector-runs.schemas.ts";
import type { Header } from "./webhook-body.ts";

/** The same limit as for inbound requests. */
const MAX_BODY_BYTES = 1024 * 1024;

export function connectorRunRoutes(app: App, runs: ConnectorRuns): void {
  hookRoute(app, runs);
  ownHookRoute(app, runs);
  testRoute(app, runs);
  runRoute(app, runs);
}

/**
 * The route is public: the token identifies the workspace and the environment, and the signature authenticates the
 * sender.
 */
function hookRoute(app: App, runs: ConnectorRuns): void {
  route(app, "POST /v1/connectors/:key/webhook/:token", {
    config: {
      callers: "public",
      rawBody: true,
      errors: [
        "signature_invalid",
        "inbound_inactive",
        "not_found",
        "rate_limited",
        "malformed_json",
        "unsupported_media_type",
      ],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "receiveConnectorWebhook",
    summary: "Receive a webhook of a connector's service",
    description:
      "The address that a connector shows as `webhook_url`. Send the raw body, of at most 1 MiB, signed as the connector's `webhook.verify` defines. The 202 response means that the webhook is stored; it is then processed, and retried until that succeeds. A duplicate is also answered with 202, and has no second effect.",
    params: shapes.HookParams,
    response: { 202: shapes.HookAnswer },
    handler: async (request) => {
      const { key, token } = request.params;
      const scope = await runs.scopeOfToken(key, token);
      if (scope === undefined)
        throw new ServiceError("not_found", { detail: "No connector has this webhook address." });
      const body: unknown = request.body;
      const answer = await runs.webhooks.receive(scope, key, {
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        isKnown: false,
        ...headersOf(sentHeaders(request)),
      });
      return answer;
    },
  });
}

function ownHookRoute(app: App, runs: ConnectorRuns): void {
  route(app, "POST /v1/connectors/:key/webhook", {
    config: {
      operation: "connectors.webhook",
      callers: writers,
      errors: ["signature_invalid", "inbound_inactive"],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "relayConnectorWebhook",
    summary: "Forward a webhook to a connector",
    description:
      "For systems that already receive the other service's webhooks and forward them with an API key. Send the body unchanged. If the sender's own signature is present, it must be valid; without one, the API key is enough. Other services send to `webhook_url`.",
    params: shapes.KeyParams,
    body: shapes.HookBody,
    response: { 202: shapes.HookAnswer },
    handler: async (request) => {
      const answer = await runs.webhooks.receive(callerOf(request).scope, request.params.key, {
        body: Buffer.from(handed(request.scanned?.text, request.body)),
        isKnown: true,
        ...headersOf(request.headers),
      });
      return answer;
    },
  });
}

function testRoute(app: App, runs: ConnectorRuns): void {
  route(app, "POST /v1/connectors/:key/test", {
    config: { operation: "connectors.test", callers: writers, remote: true, audit: "connector", errors: ["conflict"] },
    operationId: "testConnector",
    summary: "Test a connector's settings",
    description:
      "Runs the connector's own test with its current settings, before or after it is enabled. A failed test is also a successful response.",
    params: shapes.KeyParams,
    response: { 200: shapes.TestView },
    handler: async (request) => await runs.test(callerOf(request).scope, request.params.key),
  });
}

function runRoute(app: App, runs: ConnectorRuns): void {
  route(app, "GET /v1/connectors/:key/runs", {
    config: { operation: "connectors.runs.list", callers: readers },
    operationId: "listConnectorRuns",
    summary: "List a connector's runs",
    description:
      "Returns each call of the connector's code, newest first, with its outcome, its requests to the service and its log. Runs are kept as long as deliveries.",
    params: shapes.KeyParams,
    querystring: shapes.RunListQuery,
    response: { 200: shapes.RunListView },
    handler: async (request) => await runs.runs.list(callerOf(request).scope, request.params.key, request.query),
  });
}

/**
 * Returns the exact text of the request, because the signature covers it. In a call through the General API the text is
 * part of another body.
 */
function handed(text: string | undefined, body: unknown): string {
  return text !== undefined && isDeepStrictEqual(parseJson(text), body) ? text : JSON.stringify(body ?? null);
}

function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): {
  readonly header: Header;
  readonly names: readonly string[];
} {
  return {
    names: Object.keys(headers),
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}
