import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import { sendDocument } from "../http/sent-document.ts";
import type { Docs, DocsFile } from "./file.ts";

/**
 * Serves the documentation at `/docs` with the API reference (contract, section 1). It needs no key and no network
 * except this service.
 */
export function docsRoutes(app: App, docs: Docs): void {
  app.get("/docs", { schema: { operationId: "getDocs", hide: true } }, async (request, reply) => {
    const front = await docs.find("/docs");
    if (front === undefined) throw new ServiceError("not_found", { detail: "The documentation has no front page." });
    return await send(request, reply, front);
  });

  app.get("/docs/*", { schema: { hide: true } }, async (request, reply) => {
    const [path = ""] = request.url.split("?");
    const file = await docs.find(path);
    if (file !== undefined) return await send(request, reply, file);
    if (path === "/docs/") return await reply.redirect("/docs", 308);
    if ((request.headers.accept ?? "").includes("text/html"))
      return await send(request, reply.code(404), await docs.missing());
    if (path.startsWith("/docs/errors/"))
      throw new ServiceError("not_found", { detail: "No error has this code. See /docs/errors." });
    throw new ServiceError("route_not_found", { detail: "The documentation has no such page. See /docs." });
  });
}

async function send(request: FastifyRequest, reply: FastifyReply, file: DocsFile): Promise<FastifyReply> {
  return await sendDocument(request, reply, file, {
    "Content-Security-Policy": file.policy,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": file.forever ? "public, max-age=31536000, immutable" : "no-cache",
  });
}
