import type { FastifyReply, FastifyRequest } from "fastify";
import { setTimeout as delay } from "node:timers/promises";
import { sentHeaders } from "../../access/access.ts";
import { t } from "../../lib/lib.ts";
import { route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Answer, Inboxes } from "./inbox.ts";
import { BehaviourBody, BehaviourView, InboxAnswer, InboxView, MAX_BEHAVIOUR_BYTES } from "./inbox.schemas.ts";

const TokenParams = t.Object({
  token: t.StringExample("Zk3vQ1tqJ8wL5xYb2NcR", "The token from the inbox's URL."),
});
const MAX_MESSAGE_BYTES = 256 * 1024;
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Registers public routes: the token in the path is the credential. A process that only delivers also has them, because
 * it reaches the inbox at its own address.
 */
export function inboxRoutes(app: App, inboxes: Inboxes): void {
  route(app, "GET /inbox/:token", {
    config: { callers: "public", errors: ["not_found"] },
    operationId: "getInbox",
    summary: "Show what the inbox received",
    description: "Returns the requests, newest first, with the verification result of each signature.",
    params: TokenParams,
    response: { 200: InboxView },
    handler: async (request, reply) => {
      reply.header("Cache-Control", "no-store");
      return await inboxes.view(request.params.token);
    },
  });

  route(app, "PUT /inbox/:token/behaviour", {
    config: { callers: "public", errors: ["not_found"] },
    bodyLimit: MAX_BEHAVIOUR_BYTES,
    operationId: "setInboxBehaviour",
    summary: "Set the inbox's response",
    description: "Replaces the whole behaviour: members that are not in the request get their defaults.",
    params: TokenParams,
    body: BehaviourBody,
    response: { 200: BehaviourView },
    handler: async (request) => await inboxes.behave(request.params.token, request.body),
  });

  const receive = async (
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    return await answer(reply, await inboxes.receive(request.params.token, { headers: wireHeaders(request), body }));
  };
  const config = { callers: "public", rawBody: true, errors: ["not_found"] } as const;
  app.post(
    "/inbox/:token",
    {
      config,
      bodyLimit: MAX_MESSAGE_BYTES,
      schema: {
        operationId: "sendToInbox",
        summary: "Send a request to the inbox",
        description:
          "Accepts any body, stores it, and sends the configured response: any status, a delay or a failure.",
        response: { 200: InboxAnswer, default: InboxAnswer },
        params: TokenParams,
      },
    },
    receive,
  );
  app.route({
    method: ["PUT", "PATCH", "DELETE"],
    url: "/inbox/:token",
    config,
    bodyLimit: MAX_MESSAGE_BYTES,
    schema: { hide: true, params: TokenParams },
    handler: receive,
  });
}

async function answer(reply: FastifyReply, { status, delayMs, body, received }: Answer): Promise<FastifyReply> {
  if (delayMs > 0) await delay(delayMs);
  reply.code(status);
  if (NO_CONTENT.has(status)) return await reply.send();
  // The text is never sent as HTML, because the token's holder wrote it and it is served from the console's own origin.
  if (body !== null) return await reply.type("text/plain; charset=utf-8").send(body);
  return await reply.type("application/json; charset=utf-8").send(JSON.stringify({ received }));
}

function wireHeaders(request: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sentHeaders(request)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
