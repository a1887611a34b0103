import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { DOCS_HEADERS } from "../docs-site/docs.ts";
import type { App } from "../../accounts/accounts.ts";

/** A file of the page, and what it is served as. */
interface Asset {
  readonly path: string;
  readonly type: string;
}

const own = (name: string): string => fileURLToPath(new URL(`../../../reference/${name}`, import.meta.url));
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const ASSETS: Readonly<Record<string, Asset>> = {
  "page.js": { path: own("page.js"), type: SCRIPT },
  "sign.js": { path: own("sign.js"), type: SCRIPT },
  "page.css": { path: own("page.css"), type: STYLE },
  "swagger-ui.js": { path: fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js")), type: SCRIPT },
  "swagger-ui.css": { path: fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")), type: STYLE },
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Junction</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<link rel="icon" href="data:,">
</head>
<body>
<header>
<strong>Junction API</strong>
<a href="/docs">Documentation</a>
<a href="/openapi.json">openapi.json</a>
<a href="/docs/errors">Errors</a>
<label>Sandbox key <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="jn_test_…"></label>
<p id="note" role="status"></p>
</header>
<main id="reference"></main>
<noscript>The reference is drawn by a script; the same is in <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/swagger-ui.js"></script>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`;

/** The reference, which needs no key and no network but this service (contract, section 1). */
export function referenceRoutes(app: App): void {
  app.get("/docs/api", { schema: { operationId: "getReference", hide: true } }, async (_request, reply) => {
    reply.headers(DOCS_HEADERS).header("Cache-Control", "no-cache");
    return await reply.type("text/html; charset=utf-8").send(PAGE);
  });

  for (const [name, { path, type }] of Object.entries(ASSETS)) {
    let loaded: Promise<{ readonly bytes: Buffer; readonly etag: string }> | undefined;
    app.get(`/docs/${name}`, { schema: { hide: true } }, async (request, reply) => {
      const { bytes, etag } = await (loaded ??= load(path));
      reply.headers(DOCS_HEADERS).header("Cache-Control", "no-cache").header("ETag", etag);
      if (request.headers["if-none-match"] === etag) return await reply.code(304).send();
      return await reply.type(type).send(bytes);
    });
  }
}

async function load(path: string): Promise<{ bytes: Buffer; etag: string }> {
  const bytes = await readFile(path);
  return { bytes, etag: `"${hash("sha256", bytes, "base64url").slice(0, 27)}"` };
}
