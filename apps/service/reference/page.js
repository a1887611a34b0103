// The reference page: Swagger UI on /openapi.json, and the reader's sandbox key, which lives in this page alone.
import { credentials, refusalOf } from "./sign.js";

const keyField = document.querySelector("#key");
const note = document.querySelector("#note");
const CREDENTIALS = new Set(["authorization", "x-service-key", "x-service-signature", "x-service-timestamp", "cookie"]);

document.addEventListener("securitypolicyviolation", (event) => {
  document.documentElement.dataset.violation = `${event.violatedDirective} ${event.blockedURI}`;
});
keyField.addEventListener("input", () => {
  say(refusalOf(keyField.value.trim(), "", new URL(location.href), location.origin) ?? "");
});

globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  // No request to anybody's validator.
  validatorUrl: null,
  tryItOutEnabled: true,
  requestInterceptor: guarded,
  onComplete: () => {
    document.documentElement.dataset.ready = "true";
  },
  // The key has one place: the field above.
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
});

/** Every request of the page passes here. */
async function guarded(request) {
  if (request.loadSpec) return request;
  const url = new URL(request.url, location.href);
  const key = keyField.value.trim();
  const body = typeof request.body === "string" ? request.body : "";
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !CREDENTIALS.has(name.toLowerCase()));
  const refusal = refusalOf(key, `${url.href}\n${body}\n${JSON.stringify(request.headers)}`, url, location.origin);
  say(refusal ?? "");
  if (refusal !== null) return Object.assign(request, { headers: {}, userFetch: () => kept(refusal) });
  const idempotencyKey = headers.find(([name]) => name.toLowerCase() === "idempotency-key")?.[1] ?? "";
  const timestamp = Math.floor(Date.now() / 1000);
  const signed =
    key === "" ? {} : await credentials(key, { method: request.method ?? "GET", url, body, idempotencyKey, timestamp });
  // Without cookies: a console session in this browser is not the reader's sandbox key.
  return Object.assign(request, { headers: { ...Object.fromEntries(headers), ...signed }, credentials: "omit" });
}

/** The answer to a request that does not leave the page; Swagger UI shows it as any other. */
async function kept(refusal) {
  const headers = { "Content-Type": "application/problem+json" };
  return new Response(JSON.stringify({ title: "Not sent.", detail: refusal }), { status: 400, headers });
}

function say(text) {
  note.textContent = text;
}
