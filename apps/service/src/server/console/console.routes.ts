import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Console, ConsoleAnswer, PageRequest } from "./console.ts";

/** Matches the paths of the service itself. A wrong path among these is a wrong call, never a page. */
const SERVICE =
  /^\/(?:v1|api|mcp|oauth|\.well-known|inbox|docs|assets|portal|metrics|livez|readyz|version|openapi\.json)(?:\/|$)/;

/**
 * Serves the console at `/`, with its files (contract, section 1). A browser's request for a path without a route shows
 * one of its other pages.
 */
export function consoleRoutes(app: App, console: Console): void {
  app.get(
    "/",
    { schema: { hide: true } },
    async (request, reply) => await answer(reply, await console.page(pageRequest(request))),
  );

  for (const url of ["/assets/*", "/favicon.svg"]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const path = pathOf(request.url);
      const file = await console.file(path, request.headers["accept-encoding"]);
      if (file === undefined) throw new ServiceError("not_found", { detail: "The console has no such file." });
      return await answer(reply, file);
    });
  }
}

/**
 * Returns true for a page of the console, such as `/deliveries/dlv_…`: the browser accepts HTML, and the path is not
 * one of the service.
 */
export function isConsolePage(request: Pick<FastifyRequest, "method" | "url" | "headers">): boolean {
  const { accept = "" } = request.headers;
  return (
    (request.method === "GET" || request.method === "HEAD") &&
    accept.includes("text/html") &&
    !SERVICE.test(pathOf(request.url))
  );
}

/**
 * Returns the request for a page. `isSignedIn` is a guess: it only selects the files to preload and grants no access.
 */
export function pageRequest({ url, headers }: Pick<FastifyRequest, "url" | "headers">): PageRequest {
  return {
    path: pathOf(url),
    isSignedIn: /junction_session=/.test(headers.cookie ?? ""),
    acceptEncoding: headers["accept-encoding"],
  };
}

export async function answer(reply: FastifyReply, { status, headers, body }: ConsoleAnswer): Promise<FastifyReply> {
  return await reply.code(status).headers(headers).send(body);
}

function pathOf(url: string): string {
  const cut = url.indexOf("?");
  return cut === -1 ? url : url.slice(0, cut);
}
