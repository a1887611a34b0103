import { CONNECTION_HEADERS, HEADER_NAME, isRecord, SECRET_NAME } from "../lib/lib.ts";

/** The beginning of a URL up to its path, without values of the event, so that it is checked when it is saved. */
export const ORIGIN = /^https?:\/\/[^/?#@\s]+(?=[/?#]|$)/i;
const OWN: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "content-length", "idempotency-key"]);

/** A fault of one member of `auth`. */
export interface AuthFault {
  readonly member: string;
  readonly code: string;
  readonly message: string;
}

/** The members of each type of authentication, besides `type` and `secret_ref`. */
const TYPES: Readonly<Record<string, { readonly required: readonly string[]; readonly optional: readonly string[] }>> =
  {
    bearer: { required: [], optional: [] },
    basic: { required: [], optional: [] },
    // `header` is the earlier spelling of `name`.
    api_key: { required: [], optional: ["in", "name", "header"] },
    oauth2_client_credentials: { required: ["token_url", "client_id"], optional: ["scope"] },
  };

const SECRET_FORM = new RegExp(SECRET_NAME);

interface Form {
  readonly message: string;
  isMet(value: string): boolean;
}

const TEXT: Form = {
  message: "must be a string without values of the event",
  isMet: (value) => value.length <= 2048 && !value.includes("${"),
};
const HEADER: Form = {
  message: "must be the name of a header that the service does not set",
  isMet: (name) => HEADER_NAME.test(name) && !isOwnHeader(name),
};
/** The name of a parameter, which needs no encoding in a URL. */
const PARAMETER: Form = {
  message: "must be the name of a query parameter: letters, digits and . _ ~ [ ] $ -",
  isMet: (name) => /^[\w.~[\]$-]{1,100}$/.test(name),
};
const FORMS: Readonly<Record<string, Form>> = {
  secret_ref: {
    message: "must be the name of a secret (PUT /v1/secrets/{name})",
    isMet: (name) => SECRET_FORM.test(name),
  },
  header: HEADER,
  in: { message: "must be header or query", isMet: (place) => place === "header" || place === "query" },
  token_url: {
    message: "must be a URL that begins with http:// or https://",
    isMet: (url) => ORIGIN.test(url) && TEXT.isMet(url),
  },
};

/** Returns the faults of a call's `auth`. */
export function authFaults(auth: unknown): AuthFault[] {
  const type = isRecord(auth) && typeof auth["type"] === "string" ? auth["type"] : "";
  const members = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!isRecord(auth) || members === undefined)
    return [{ member: "type", code: "enum", message: `must be one of ${Object.keys(TYPES).join(", ")}` }];
  const required = ["secret_ref", ...members.required];
  const known = new Set(["type", ...required, ...members.optional]);
  return [
    ...required
      .filter((name) => auth[name] === undefined)
      .map((member) => ({ member, code: "required", message: `is required for ${type}` })),
    ...(type === "api_key" ? placeFaults(auth) : []),
    ...Object.entries(auth).flatMap(([member, value]) => memberFaults(type, known, [member, value])),
  ];
}

/** Returns the faults of the place of an API key, which is a header or a query parameter with a name. */
function placeFaults({ in: place, name, header }: Readonly<Record<string, unknown>>): AuthFault[] {
  if (name === undefined && header === undefined)
    return [{ member: "name", code: "required", message: "is required for api_key" }];
  if (header !== undefined && (name !== undefined || place === "query"))
    return [{ member: "header", code: "conflict", message: "must be omitted: use in and name" }];
  const form = place === "query" ? PARAMETER : HEADER;
  return name === undefined || (typeof name === "string" && form.isMet(name))
    ? []
    : [{ member: "name", code: "http_call", message: form.message }];
}

function memberFaults(
  type: string,
  known: ReadonlySet<string>,
  [member, value]: readonly [string, unknown],
): AuthFault[] {
  if (!known.has(member)) return [{ member, code: "unknown", message: `is not a member of ${type}` }];
  const form = FORMS[member] ?? TEXT;
  return typeof value === "string" && form.isMet(value) ? [] : [{ member, code: "http_call", message: form.message }];
}

/** Returns whether the service sets a header, or the header belongs to the connection. */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OWN.has(lower) || lower.startsWith("proxy-");
}

/** Returns whether the service sets a header in a signed call. */
export function isSignatureHeader(name: string): boolean {
  return name.toLowerCase().startsWith("webhook-");
}

/** Returns the name of the query parameter in which `auth` sends an API key. */
export function keyParameter(auth: unknown): string | undefined {
  if (!isRecord(auth) || auth["type"] !== "api_key" || auth["in"] !== "query") return undefined;
  const { name } = auth;
  return typeof name === "string" ? name : undefined;
}

/** Returns whether a URL has a parameter of this name, in any spelling. */
export function hasParameter(url: string, name: string): boolean {
  const [, ...search] = url.split("?");
  return new URLSearchParams(search.join("?")).has(name);
}
