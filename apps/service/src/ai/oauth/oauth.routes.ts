import type { FastifyReply, FastifyRequest } from "fastify";
import { isRecord, JsonError, requestForm, requestText, scanJson, ServiceError } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import type { OAuth } from "./oauth.ts";
import { OAuthError } from "./oauth-error.ts";

const MOST_BODY = 16 * 1024;
const HIDDEN = { callers: "public", rawBody: true } as const;
const JSON_TYPE = "application/json; charset=utf-8";
const FORM = "application/x-www-form-urlencoded";

/**
 * The endpoints of OAuth. Their formats are those of the standards, so the OpenAPI document does not list them: clients find them
 * by the metadata.
 */
export function oauthRoutes(app: App, oauth: OAuth): void {
  metadataRoutes(app, oauth);

  app.get("/oauth/authorize", { config: HIDDEN, schema: { hide: true } }, async (request, reply) => {
    try {
      const query = new URLSearchParams(queryOf(request.url));
      return await reply
        .code(303)
        .header("Location", await oauth.authorize(query))
        .send();
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return await reply.code(400).type("text/html; charset=utf-8").send(errorPage(error.message));
    }
  });

  endpoint(app, "/oauth/token", async (request, reply) => {
    const answer = await oauth.tokens.exchange(formOf(request), request.ip);
    return await reply.type(JSON_TYPE).send(JSON.stringify(answer));
  });

  endpoint(app, "/oauth/revoke", async (request, reply) => {
    await oauth.tokens.revoke(formOf(request), request.ip);
    return await reply.code(200).send();
  });

  endpoint(app, "/oauth/register", async (request, reply) => {
    const registration = await oauth.clients.register(jsonOf(request), request.ip);
    return await reply.code(201).type(JSON_TYPE).send(JSON.stringify(registration));
  });
}

function metadataRoutes(app: App, oauth: OAuth): void {
  const { resource, server } = oauth.addresses.metadataPaths;
  const documents = [
    ...resource.map((path) => [path, oauth.resourceMetadata] as const),
    ...server.map((path) => [path, oauth.serverMetadata] as const),
  ];
  for (const [path, document] of documents) {
    app.get(path, { config: HIDDEN, schema: { hide: true } }, async (_request, reply) => {
      return await reply.type(JSON_TYPE).send(JSON.stringify(document()));
    });
  }
}

/** Mounts an endpoint for clients, whose refusals are in the format of OAuth (RFC 6749, section 5.2). */
function endpoint(
  app: App,
  path: string,
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.post(path, { config: HIDDEN, schema: { hide: true } }, async (request, reply) => {
    try {
      return await handle(request, reply);
    } catch (thrown) {
      const error = inOAuthFormat(thrown);
      const body = { error: error.code, error_description: error.message };
      return await reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(body));
    }
  });
}

/** Returns a refusal in the format of OAuth, and throws everything else again. */
function inOAuthFormat(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (!(error instanceof ServiceError) || error.code !== "unsupported_media_type") throw error;
  return new OAuthError("invalid_request", error.details.detail ?? error.message, {
    status: 415,
    headers: error.details.headers ?? {},
  });
}

function formOf(request: FastifyRequest): URLSearchParams {
  if (mediaTypeOf(request) !== FORM) throw new OAuthError("invalid_request", `Send Content-Type: ${FORM}.`);
  return requestForm(bytesOf(request), request.headers);
}

function jsonOf(request: FastifyRequest): unknown {
  if (mediaTypeOf(request) !== "application/json")
    throw new OAuthError("invalid_client_metadata", "Send Content-Type: application/json.");
  try {
    const { value } = scanJson(Buffer.from(requestText(bytesOf(request), request.headers)));
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw new OAuthError("invalid_client_metadata", "The body is not a JSON object.");
}

function bytesOf({ body }: FastifyRequest): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length > MOST_BODY) throw new OAuthError("invalid_request", "The body is too large.", { status: 413 });
  return bytes;
}

function mediaTypeOf({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function queryOf(url: string): string {
  const cut = url.indexOf("?");
  return cut === -1 ? "" : url.slice(cut + 1);
}

/** The page for a request that must not be answered with a redirect, because the redirect URI may be that of an attacker. */
function errorPage(message: string): string {
  const text = message.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The app cannot be connected</title>
<h1>The app cannot be connected</h1>
<p>${text}</p>
</html>
`;
}
