import type { Version } from "../registry/connectors.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { CONNECTION_HEADERS, t, VERSION } from "../../lib/lib.ts";
import type { OutboundRequest } from "../../platform/outbound-http/outbound-http.ts";
import { formOf } from "./form.ts";
import type { Handles } from "./handles.ts";

const Texts = t.Unsafe<Record<string, string>>({
  type: "object",
  maxProperties: 100,
  additionalProperties: { type: "string", maxLength: 65_536 },
});
const Reference = t.String({ minLength: 1, maxLength: 8192 });
const Request = t.Object(
  {
    method: t.OneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
    url: t.String({ minLength: 1, maxLength: 8192 }),
    headers: t.Optional(Texts),
    body: t.Optional(t.String()),
    json: t.Optional(t.Unknown()),
    form: t.Optional(Texts),
    auth: t.Optional(
      t.Unsafe<
        string | { readonly basic: readonly [string, string] } | { readonly header: string; readonly secret: string }
      >({
        anyOf: [
          Reference,
          t.Object({ basic: t.Unsafe({ type: "array", items: Reference, minItems: 2, maxItems: 2 }) }, t.strict),
          t.Object({ header: t.String({ maxLength: 100 }), secret: Reference }, t.strict),
        ],
      }),
    ),
    timeout_ms: t.Optional(t.Integer({ minimum: 1, maximum: 30_000 })),
  },
  t.strict,
);
/** The argument of a connector's `http` service. */
export type HttpRequest = t.Static<typeof Request>;

const readForm = formOf(Request, "http");
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;
/** Headers that HTTP itself, or the service's URL checks, set. */
const OURS: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "content-length"]);
const MAX_BODY_BYTES = 1024 * 1024;

export function readHttpRequest(value: Json | undefined): HttpRequest {
  const request = readForm(value);
  const bodies = [request.body, request.json, request.form].filter((one) => one !== undefined);
  if (bodies.length > 1) throw invalid("A request can have only one of body, json and form.");
  if (bodies.length > 0 && (request.method === "GET" || request.method === "HEAD"))
    throw invalid(`A ${request.method} request cannot have a body.`);
  return request;
}

/** Returns the body as the code gave it, with handles in place of secrets. */
export function contentOf({ body, json, form }: HttpRequest): string {
  if (form !== undefined) return new URLSearchParams(form).toString();
  return json === undefined ? (body ?? "") : JSON.stringify(json);
}

/** Returns the URL if the connector declared its host. Throws HostError `egress_undeclared`. */
export function declaredUrl({ description }: Version, handles: Handles, text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid("url must be an http or https URL.");
  const hosts = description.egress.flatMap((one) => hostOf(handles, one));
  if (!hosts.includes(url.host))
    throw new HostError("egress_undeclared", `${url.host} is not among the egress hosts of connector.json.`);
  return url;
}

/** Returns the request as sent, with the secrets in it. */
export function outbound(
  request: HttpRequest,
  url: URL,
  handles: Handles,
): Pick<OutboundRequest, "method" | "url" | "headers" | "body"> {
  const { body, type } = bodyOf(request, handles);
  if (body !== null && Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new HostError("too_large", "A request must not be larger than 1 MiB.");
  const headers: Record<string, string> = { Accept: "application/json", "User-Agent": `Junction/${VERSION}` };
  if (type !== null) put(headers, "Content-Type", type);
  for (const [name, value] of Object.entries(request.headers ?? {})) put(headers, name, handles.exchange(value));
  for (const [name, value] of authOf(request, handles)) put(headers, name, value);
  return { method: request.method, url: withSecrets(url, handles), headers, body };
}

/** Inserts secrets only after the host, so that the checked host cannot change. */
function withSecrets(url: URL, handles: Handles): string {
  const path = url.href.slice(url.origin.length);
  const full =
    url.origin + handles.exchange(path, (secret) => encodeURI(secret).replaceAll(/[?#]/g, encodeURIComponent));
  if (URL.parse(full)?.origin !== url.origin)
    throw invalid("url contains a secret in a part that cannot contain secrets.");
  return full;
}

function bodyOf(
  request: HttpRequest,
  handles: Handles,
): { readonly body: string | null; readonly type: string | null } {
  if (request.form !== undefined) {
    const fields = Object.entries(request.form).map(([name, value]) => [name, handles.exchange(value)]);
    return { body: new URLSearchParams(fields).toString(), type: "application/x-www-form-urlencoded" };
  }
  if (request.json !== undefined)
    return { body: JSON.stringify(exchanged(request.json, handles)), type: "application/json" };
  return { body: request.body ?? null, type: request.body === undefined ? null : "text/plain; charset=utf-8" };
}

/** Inserts secrets only into values, never into names. */
function exchanged(value: unknown, handles: Handles): unknown {
  if (typeof value === "string") return handles.exchange(value);
  if (Array.isArray(value)) return value.map((item: unknown) => exchanged(item, handles));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exchanged(member, handles)]));
}

function authOf({ auth }: HttpRequest, handles: Handles): [string, string][] {
  if (auth === undefined) return [];
  if (typeof auth === "string") return [["Authorization", `Bearer ${handles.secretOf(auth)}`]];
  if ("header" in auth) return [[auth.header, handles.secretOf(auth.secret)]];
  const [user, secret] = auth.basic.map((one) => handles.secretOf(one));
  const credentials = Buffer.from(`${user ?? ""}:${secret ?? ""}`).toString("base64");
  handles.hide(credentials);
  return [["Authorization", `Basic ${credentials}`]];
}

/** Sets a header. It replaces an earlier one of the same name, regardless of case. */
function put(headers: Record<string, string>, name: string, value: string): void {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name) || OURS.has(lower) || lower.startsWith("proxy-"))
    throw invalid(`${JSON.stringify(name.slice(0, 100))} is not a header that a connector can set.`);
  if (!VALUE.test(value)) throw invalid(`The header ${name} contains characters that are not allowed.`);
  for (const other of Object.keys(headers)) if (other.toLowerCase() === lower) delete headers[other];
  headers[name] = value;
}

/** Returns the host of an entry of `egress`, which may be a setting that is a URL. */
function hostOf(handles: Handles, entry: string): string[] {
  if (!entry.startsWith("settings.")) return [entry];
  const value = handles.shown(entry.slice("settings.".length));
  const host = typeof value === "string" ? URL.parse(value)?.host : undefined;
  return host === undefined ? [] : [host];
}

function invalid(message: string): HostError {
  return new HostError("invalid", message);
}
