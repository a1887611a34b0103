import { errorCodes, ServiceError, Type } from "../../lib/lib.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";
import { errorIndexPage, errorPage, PAGE_CSP } from "./error-pages.ts";

/** Where the `type` of a problem leads. Public, and the same on every node of a version. */
export function errorPageRoutes(app: App, baseUrl: string): void {
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": PAGE_CSP,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "public, max-age=3600",
  };

  app.get(
    "/docs/errors",
    { schema: { operationId: "getErrorIndex", hide: true } },
    async (_request, reply) => await reply.headers(headers).send(errorIndexPage()),
  );

  app.get(
    "/docs/errors/:code",
    { schema: { operationId: "getErrorPage", hide: true, params: Type.Object({ code: Type.String() }) } },
    async (request, reply) => {
      const { code } = request.params;
      if (!isErrorCode(code))
        throw new ServiceError("not_found", { detail: "No error has this code. See /docs/errors." });
      return await reply.headers(headers).send(errorPage(code, baseUrl));
    },
  );
}

function isErrorCode(text: string): text is ErrorCode {
  return errorCodes.some((code) => code === text);
}
