import { callerOf, operators, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { PortalSessions } from "./sessions.ts";
import * as shapes from "./sessions.schemas.ts";

export function portalRoutes(app: App, sessions: PortalSessions): void {
  sessionRoutes(app, sessions);

  route(app, "POST /v1/portal-sessions/exchange", {
    config: { callers: "public", errors: ["portal_token_invalid", "too_many_auth_failures"] },
    operationId: "exchangePortalToken",
    summary: "Open a portal session",
    description:
      "Exchanges the token of a portal link for a short-lived API key, once. The page at `/portal/` does this.",
    body: shapes.ExchangeBody,
    response: { 201: shapes.CredentialView },
    handler: async (request) => {
      const origin = { ip: request.ip, requestId: request.id };
      return await sessions.exchange(request.body, origin);
    },
  });
}

function sessionRoutes(app: App, sessions: PortalSessions): void {
  route(app, "POST /v1/portal-sessions", {
    config: { operation: "portal_sessions.create", callers: operators, limit: "portal_sessions.create", audit: "key" },
    operationId: "createPortalSession",
    summary: "Create a portal session",
    description:
      "Returns a link to a page where one of your customers manages its own webhook endpoints. Embed it with `<junction-portal>`, or redirect to it.",
    body: shapes.SessionBody,
    response: { 201: shapes.NewSessionView },
    handler: async (request) => await sessions.create(callerOf(request), request.body),
  });

  route(app, "GET /v1/portal-sessions", {
    config: { operation: "portal_sessions.list", callers: operators },
    operationId: "listPortalSessions",
    summary: "List portal sessions",
    description: "Newest first, until a day after their end. The links are not shown again.",
    querystring: shapes.SessionListQuery,
    response: { 200: shapes.SessionList },
    handler: async (request) => await sessions.list(callerOf(request).scope, request.query),
  });

  route(app, "POST /v1/portal-sessions/:id/revoke", {
    config: { operation: "portal_sessions.revoke", callers: operators, audit: "key" },
    operationId: "revokePortalSession",
    summary: "Revoke a portal session",
    description:
      "Ends the session and its link at once, on every node. Open pages can no longer read or change anything.",
    params: shapes.SessionParams,
    response: { 200: shapes.SessionView },
    handler: async (request) => await sessions.revoke(callerOf(request).scope, request.params.id),
  });
}
