import type { FastifyRequest } from "fastify";
import {
  anyMember,
  byPeople,
  callerOf,
  inSession,
  keepers,
  originOf,
  owners,
  OwnProofBody,
  sessionCaller,
  route,
} from "../../accounts/accounts.ts";
import type { App, People } from "../../accounts/accounts.ts";
import { pathWithoutCredentials, ServiceError, t } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import type { SlackApps } from "./slack-app.ts";
import type { SlackInteractions } from "./slack-interactions.ts";
import type { SlackLinks } from "./slack-links.ts";
import * as shapes from "./slack.schemas.ts";

/** Slack repeats the whole message in each interaction. */
const MAX_BODY_BYTES = 256 * 1024;

export interface SlackRouteDeps {
  readonly apps: SlackApps;
  readonly links: SlackLinks;
  readonly interactions: SlackInteractions;
  readonly people: Pick<People, "provePresence">;
}

export function slackRoutes(app: App, { apps, links, interactions, people }: SlackRouteDeps): void {
  appRoutes(app, apps);
  linkRoutes(app, { links, people });
  interactionRoute(app, interactions);
}

function appRoutes(app: App, apps: SlackApps): void {
  route(app, "GET /v1/slack-app", {
    config: { operation: "slack_app.get", callers: keepers, errors: ["not_found"] },
    operationId: "getSlackApp",
    summary: "Show the Slack app",
    description: "Returns the app of this environment, with the request URL to enter in Slack.",
    response: { 200: shapes.SlackAppView },
    handler: async (request) => await apps.get(callerOf(request).scope),
  });

  route(app, "PUT /v1/slack-app", {
    config: { operation: "slack_app.put", callers: byPeople(owners), audit: "channel" },
    operationId: "putSlackApp",
    summary: "Set the Slack app",
    description:
      "Sets the Slack app of this environment, which sends the messages and whose signing secret proves the taps. Live and sandbox have separate apps. With another signing secret or Slack workspace, all members link their Slack accounts again.",
    body: shapes.SlackAppBody,
    response: { 200: shapes.SlackAppView },
    handler: async (request) => await apps.put(callerOf(request).scope, request.body),
  });

  route(app, "DELETE /v1/slack-app", {
    config: {
      operation: "slack_app.delete",
      callers: byPeople(owners),
      audit: "channel",
      errors: ["not_found"],
    },
    operationId: "deleteSlackApp",
    summary: "Delete the Slack app",
    description: "Deletes the app with its secrets and all linked accounts. Its messages no longer decide anything.",
    response: { 204: t.Null() },
    handler: async (request) => {
      await apps.remove(callerOf(request).scope);
    },
  });
}

function linkRoutes(app: App, { links, people }: Pick<SlackRouteDeps, "links" | "people">): void {
  route(app, "POST /v1/slack-links", {
    config: {
      operation: "slack_links.create",
      callers: inSession(anyMember),
      errors: ["surface_not_allowed", "conflict", "step_up_required"],
    },
    operationId: "createSlackLink",
    summary: "Link your Slack account",
    description:
      "Returns a code for the member of the console session. Enter it within ten minutes in Slack, with the button “Enter the code” of a message of the app. The code works once, and links the Slack account that enters it. A linked account decides as the member, so that this needs a step-up for `slack_links.create`, or a code; without a second factor the password.",
    body: OwnProofBody,
    response: { 201: shapes.LinkCodeView },
    handler: async (request, reply) => {
      const owner = sessionCaller(request);
      const { scope, memberId } = owner;
      const change = { operation: "slack_links.create" } as const;
      await people.provePresence(owner, { proof: request.body, from: originOf(request), change });
      reply.header("Cache-Control", "no-store");
      return await links.begin(scope, memberId);
    },
  });

  route(app, "GET /v1/slack-links", {
    config: { operation: "slack_links.list", callers: anyMember, errors: ["surface_not_allowed"] },
    operationId: "listSlackLinks",
    summary: "List linked Slack accounts",
    description: "Returns your own links. Owners and admins see those of all members. Newest first.",
    querystring: shapes.LinkListQuery,
    response: { 200: shapes.LinkListView },
    handler: async (request) => await links.list(callerOf(request).scope, ownOnly(request), request.query),
  });

  route(app, "DELETE /v1/slack-links/:id", {
    config: { operation: "slack_links.delete", callers: anyMember, audit: "channel", errors: ["surface_not_allowed"] },
    operationId: "deleteSlackLink",
    summary: "End the link of a Slack account",
    description: "Ends your own link. Owners and admins can end those of all members. Works at the next tap.",
    params: shapes.LinkParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await links.remove(callerOf(request).scope, request.params.id, ownOnly(request));
    },
  });
}

/** Registers the public route for Slack: the id names the app, and its signing secret authenticates the request. */
function interactionRoute(app: App, interactions: SlackInteractions): void {
  route(app, "POST /v1/slack/:id/interactions", {
    config: {
      callers: "public",
      rawBody: true,
      errors: ["signature_invalid", "timestamp_out_of_range", "unsupported_media_type", "not_found"],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "receiveSlackInteraction",
    summary: "Receive a tap from Slack",
    description:
      "The `request_url` of the Slack app. Slack signs each request; it is answered within three seconds, and a repeated one decides nothing again. What a person must know is shown in Slack.",
    params: shapes.AppParams,
    response: { 200: shapes.InteractionAnswer },
    handler: async (request) => {
      const body: unknown = request.body;
      const answer = await interactions.receive({
        appId: request.params.id,
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        headers: request.headers,
        signature: headerOf(request, "x-slack-signature"),
        timestamp: headerOf(request, "x-slack-request-timestamp"),
        instance: pathWithoutCredentials(request.url),
        requestId: request.id as Id,
      });
      return answer ?? {};
    },
  });
}

/** Returns the one value of a header; undefined if it is absent or repeated. */
function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns the member whose links alone the caller may see and end; undefined for those of all members. */
function ownOnly(request: FastifyRequest): Uuid | undefined {
  const { key } = callerOf(request);
  if (keepers.roles.includes(key.role)) return undefined;
  if (key.memberId === null)
    throw new ServiceError("surface_not_allowed", {
      detail: "The key belongs to no person. Use a session, or a key that is bound to a person.",
    });
  return key.memberId;
}
