import type { FastifyRequest } from "fastify";
import { ServiceError, t } from "../../lib/lib.ts";
import { anyMember, callerOf, inSession, route } from "../../accounts/accounts.ts";
import type { Admitted, App } from "../../accounts/accounts.ts";
import * as shapes from "./connected-apps.schemas.ts";
import type { OAuth } from "./oauth.ts";

const DEFAULT_DAYS = 30;
const BY_PERSON = { callers: inSession(anyMember), allWorkspaces: true, errors: ["surface_not_allowed"] } as const;

/** The consent of a member to an app, and the apps that are connected. */
export function connectedAppRoutes(app: App, { consent, apps }: OAuth): void {
  route(app, "POST /v1/connected-apps/review", {
    config: { operation: "connected_apps.review", access: "read", ...BY_PERSON },
    operationId: "reviewConnectionRequest",
    summary: "Review an app that asks for access",
    description:
      "Returns what an app asks for, and what it could do in this workspace and environment. For the console's page, in a session.",
    body: shapes.ReviewBody,
    response: { 200: shapes.ReviewView },
    handler: async (request) => await consent.review(personOf(request), request.body),
  });

  route(app, "POST /v1/connected-apps", {
    config: {
      operation: "connected_apps.connect",
      audit: "key",
      ...BY_PERSON,
      errors: [...BY_PERSON.errors, "conflict"],
    },
    operationId: "connectApp",
    summary: "Connect an app",
    description:
      "Gives an app access to `/mcp` in this workspace and environment, with the requested scopes that your role allows. Only in a session of the console.",
    body: shapes.ConnectBody,
    response: { 201: shapes.ConnectionView },
    handler: async (request) => {
      const { days = DEFAULT_DAYS, ...asked } = request.body;
      return await consent.connect(personOf(request), asked, days);
    },
  });

  route(app, "GET /v1/connected-apps", {
    config: { operation: "connected_apps.list", callers: anyMember, allWorkspaces: true },
    operationId: "listConnectedApps",
    summary: "List connected apps",
    description: "Returns the apps that you have connected, newest first. Owners and admins see those of all members.",
    querystring: shapes.AppListQuery,
    response: { 200: shapes.AppList },
    handler: async (request) => await apps.list(callerOf(request), request.query),
  });

  route(app, "DELETE /v1/connected-apps/:id", {
    config: { operation: "connected_apps.end", callers: anyMember, audit: "key", allWorkspaces: true },
    operationId: "endConnectedApp",
    summary: "Disconnect an app",
    description:
      "Ends the access of an app. Its next request is refused. Owners and admins can disconnect those of all members.",
    params: shapes.AppParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await apps.end(callerOf(request), request.params.id);
    },
  });
}

/** Throws for API keys: a program must not agree in the name of a person. */
function personOf(request: FastifyRequest): Admitted {
  const caller = callerOf(request);
  if (caller.key.session !== undefined) return caller;
  throw new ServiceError("surface_not_allowed", {
    detail: "This operation requires a console session, not an API key.",
  });
}
