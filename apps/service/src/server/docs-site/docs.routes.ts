import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import { sendDocument } from "../answers/sent-document.ts";
import type { Docs, DocsFile } from "./file.ts";
import { plainAddress } from "./markdown.ts";
import { LLMS, LLMS_FULL } from "./plain-documents.ts";
import { SERVER_MANIFEST } from "./server-manifest.ts";

const FRONT = "/docs";

/**
 * Serves the documentation at `/docs` with the API reference (contract, section 1). It needs no key and no network
 * except this service.
 */
export function docsRoutes(app: App, docs: Docs): void {
  app.get(FRONT, { schema: { hide: true } }, async (request, reply) => {
    const front = await docsFile(request, docs, FRONT);
    if (front === undefined) throw new ServiceError("not_found", { detail: "The documentation has no front page." });
    return await send(request, reply, front);
  });

  app.get("/docs/*", { schema: { hide: true } }, async (request, reply) => {
    const [path = ""] = request.url.split("?");
    const file = await docsFile(request, docs, path);
    if (file !== undefined) return await send(request, reply, file);
    if (path === "/docs/") return await reply.redirect("/docs", 308);
    if ((request.headers.accept ?? "").includes("text/html"))
      return await send(request, reply.code(404), await docs.missing());
    if (path.startsWith("/docs/errors/"))
      throw new ServiceError("not_found", { detail: "No error has this code. See /docs/errors." });
    throw new ServiceError("route_not_found", { detail: "The documentation has no such page. See /docs." });
  });

  for (const path of [`${FRONT}.md`, LLMS, LLMS_FULL, SERVER_MANIFEST])
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const file = await docs.find(path);
      if (file === undefined) throw new ServiceError("not_found");
      return await send(request, reply, file);
    });
}

/** Returns the page in the form that the caller prefers. Programs that prefer neither get HTML. */
async function docsFile({ headers }: FastifyRequest, docs: Docs, path: string): Promise<DocsFile | undefined> {
  const { accept = "" } = headers;
  const plain = prefersMarkdown(accept) ? await docs.find(plainAddress(path)) : undefined;
  return plain ?? (await docs.find(path));
}

function prefersMarkdown(accept: string): boolean {
  const quality = (type: string): number => {
    const [range] = accept.split(",").filter((one) => one.split(";")[0]?.trim().toLowerCase() === type);
    if (range === undefined) return 0;
    return Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
  };
  return quality("text/markdown") > 0 && quality("text/markdown") >= quality("text/html");
}

async function send(request: FastifyRequest, reply: FastifyReply, file: DocsFile): Promise<FastifyReply> {
  return await sendDocument(request, reply, file, {
    "Content-Security-Policy": file.policy,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    Vary: "Accept, Accept-Encoding",
    "Cache-Control": file.forever ? "public, max-age=31536000, immutable" : "no-cache",
  });
}
