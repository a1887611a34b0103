import type { FastifyReply, FastifyRequest } from "fastify";
import { parseId, ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import { answer } from "./console.routes.ts";
import type { Console } from "./console.ts";

export interface PortalDeps {
  readonly console: Console;
  /** Returns the origins that may frame the portal of a workspace. */
  portalOrigins(workspaceId: Uuid): Promise<readonly string[]>;
}

const hidden = { schema: { hide: true } } as const;
/** Sites of customers load these. Everything else of the service is only for its own pages. */
const FOR_OTHER_SITES = { "Cross-Origin-Resource-Policy": "cross-origin" };

/**
 * Serves the portal's page at `/portal/`, its files, and the element that embeds it (contract, section 10). The page contains no
 * data: what it shows depends on the token in the fragment of its address, which no server sees.
 */
export function portalPageRoutes(app: App, { console, portalOrigins }: PortalDeps): void {
  app.get("/portal", hidden, async (_request, reply) => await reply.redirect("/portal/", 308));

  app.get("/portal/", { ...hidden, onSend: removeFrameOptions }, async (request, reply) => {
    const workspaceId = workspaceIn(request.query);
    const origins = workspaceId === undefined ? [] : await portalOrigins(workspaceId);
    const page = await console.portal({ origins, acceptEncoding: request.headers["accept-encoding"] });
    return await answer(reply.headers(FOR_OTHER_SITES), page);
  });

  app.get("/portal/junction-portal.js", hidden, async (request, reply) => {
    return await sendFile(console, "/portal/junction-portal.js", request, reply.headers(FOR_OTHER_SITES));
  });

  app.get<{ Params: { "*": string } }>("/portal/assets/*", hidden, async (request, reply) => {
    return await sendFile(console, `/portal/assets/${request.params["*"]}`, request, reply);
  });
}

async function sendFile(
  console: Console,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await console.file(path, request.headers["accept-encoding"]);
  if (file === undefined) throw new ServiceError("not_found", { detail: "The portal has no such file." });
  return await answer(reply, file);
}

/** Returns undefined for an address that names no workspace: no site may frame it. */
function workspaceIn(query: unknown): Uuid | undefined {
  const { workspace } = query as { readonly workspace?: unknown };
  const id = typeof workspace === "string" ? parseId(workspace) : undefined;
  return id?.prefix === "ws" ? id.uuid : undefined;
}

/** `X-Frame-Options` cannot name sites. The policy of the page does. */
async function removeFrameOptions(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  reply.removeHeader("X-Frame-Options");
  return await Promise.resolve(payload);
}
