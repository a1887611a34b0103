// Renders /openapi.json as the API reference, and signs the requests that the reader sends with a sandbox key. The key
// stays in this page.
import { credentials, refusalOf } from "./sign.js";

const SPECIFICATION = "/openapi.json";
const CREDENTIALS = ["authorization", "x-service-key", "x-service-signature", "x-service-timestamp", "cookie"];
const ABBREVIATIONS = ["ai", "api", "mcp"];

await render();

async function render() {
  const answer = await fetch(SPECIFICATION);
  const { "x-webhooks": webhooks, tags, ...specification } = await answer.json();
  const titledTags = tags.map((tag) => ({ ...tag, "x-displayName": titleOf(tag.name) }));
  redirectOldAddress();
  const theme = document.documentElement.dataset.theme;
  globalThis.Scalar.createApiReference("#reference", {
    content: { ...specification, tags: titledTags, servers: [{ url: location.origin }], webhooks },
    theme: "none",
    withDefaultFonts: false,
    ...(theme === undefined ? {} : { forceDarkModeState: theme }),
    hideDarkModeToggle: true,
    // The site's own search finds operations too.
    hideSearch: true,
    documentDownloadType: "json",
    hideClientButton: true,
    showDeveloperTools: "never",
    // No data of the reader is sent to another service.
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    customFetch: send,
    generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
    generateTagSlug: ({ name }) => name,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    onLoaded: () => {
      document.documentElement.dataset.rendered = "true";
    },
  });
}

/** Sends a request of the reader. Every such request uses this function. */
async function send(input, init) {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const body = await request.clone().text();
  const headers = new Headers(request.headers);
  const key = keyOf(headers.get("authorization") ?? "");
  const refusal = refusalOf(key, `${url.href}\n${body}\n${JSON.stringify([...headers])}`, url, location.origin);
  if (refusal !== null) return problem(refusal);
  for (const name of CREDENTIALS) headers.delete(name);
  const { method } = request;
  const idempotencyKey = headers.get("idempotency-key") ?? "";
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = key === "" ? {} : await credentials(key, { method, url, body, idempotencyKey, timestamp });
  for (const [name, value] of Object.entries(signed)) headers.set(name, value);
  // Cookies are omitted: a console session in this browser is not the reader's sandbox key.
  return await fetch(url, { method, headers, credentials: "omit", ...(body === "" ? {} : { body }) });
}

/** Returns the text in "Bearer Token"; empty if there is none. */
function keyOf(authorization) {
  const key = authorization.replace(/^Bearer */i, "").trim();
  return key === "YOUR_SECRET_TOKEN" ? "" : key;
}

/** Returns the response to a request that is not sent. */
function problem(detail) {
  const headers = { "Content-Type": "application/problem+json" };
  return new Response(JSON.stringify({ title: "Not sent.", detail }), { status: 400, headers });
}

/** Returns "AI history" for `ai_history`. */
function titleOf(tag) {
  const words = tag.split("_").map((word) => (ABBREVIATIONS.includes(word) ? word.toUpperCase() : word));
  const title = words.join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Replaces an old address of an operation, such as `#/me/getCaller`, by `#tag/me/getCaller`. */
function redirectOldAddress() {
  const [, tag, operationId] = /^#\/(\w+)\/(\w+)$/.exec(location.hash) ?? [];
  if (operationId !== undefined) history.replaceState(null, "", `#tag/${tag}/${operationId}`);
}
