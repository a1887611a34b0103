import { hide, SECRET_NAME, ServiceError, t, toDate } from "../../lib/lib.ts";
import type { Hidden, Instant, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { readCertificate } from "../../platform/outbound-http/outbound-http.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { headerFaults } from "./headers.ts";

const TYPES = ["bearer", "basic", "api_key", "oauth2_client_credentials", "mtls"] as const;

const AuthObject = t.Object(
  {
    type: t.OneOf(
      TYPES,
      "`bearer`, `basic` and `api_key` send the secret; that of `basic` is `user:password`, or the password of `username`. `oauth2_client_credentials` exchanges it for an access token. `mtls` presents a client certificate.",
    ),
    secret_ref: t.Optional(t.StringExample("receiver_token", "The name of a secret. See `PUT /v1/secrets/{name}`.")),
    in: t.Optional(t.OneOf(["header", "query"], "The place of an API key. Default: `header`.")),
    name: t.Optional(
      t.StringExample("X-API-Key", {
        maxLength: 128,
        description: "The header or query parameter of an API key. Default: the header `X-Api-Key`.",
      }),
    ),
    header: t.Optional(
      t.StringExample("X-API-Key", { maxLength: 128, description: "The same as `name`, for a header." }),
    ),
    username: t.Optional(
      t.StringExample("junction", {
        minLength: 1,
        maxLength: 200,
        description: "The user name of `basic`. The secret is the password then.",
      }),
    ),
    token_url: t.Optional(
      t.StringExample("https://auth.example.com/token", {
        maxLength: 2048,
        description: "The token endpoint. The secret has to name its host too.",
      }),
    ),
    client_id: t.Optional(t.StringExample("junction", { minLength: 1, maxLength: 500 })),
    scope: t.Optional(
      t.StringExample("orders.write", {
        maxLength: 1000,
        description: "The scopes of the token, separated by spaces.",
      }),
    ),
    audience: t.Optional(t.StringExample("https://api.example.com", { maxLength: 1000 })),
    certificate: t.Optional(
      t.StringExample("-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n", {
        maxLength: 32_768,
        description: "The client certificate as PEM, followed by those of its issuers, if the receiver needs them.",
      }),
    ),
    key_secret_ref: t.Optional(
      t.StringExample("receiver_key", "The name of the secret that contains the certificate's key as PEM."),
    ),
  },
  { ...t.strict, title: "EndpointAuth" },
);

/** How the service signs in to a receiver. It names secrets and contains none. */
export type EndpointAuth = t.Static<typeof AuthObject>;

export const EndpointAuthView = t.Nullable(
  t.Unsafe<EndpointAuth>({
    ...AuthObject,
    examples: [{ type: "bearer", secret_ref: "receiver_token" }],
    description:
      "How the service signs in to the receiver, with secrets of the environment (`PUT /v1/secrets/{name}`). Set by the workspace, not by a tenant. Null: it does not sign in.",
  }),
);

/** Returns the value of a secret for these URLs; null if there is no such secret. `refused`: it may not go there. */
export type SecretFor = (
  scope: Scope,
  name: string,
  use: { readonly urls: readonly string[]; readonly by: Author },
) => Promise<Hidden | { readonly refused: string } | null>;

export interface AuthDeps {
  readonly net: Pick<Net, "vet">;
  readonly secretFor: SecretFor;
  readonly clock: { now(): Instant };
}

/** The columns of `auth`. */
export interface AuthColumns {
  readonly auth?: string | null;
  readonly auth_author_kind?: string | null;
  readonly auth_author_id?: Author["id"] | null;
  readonly certificate_expires_at?: Date | null;
  readonly certificate_noticed_at?: Date | null;
}

interface Meant {
  readonly scope: Scope;
  readonly author: Author | undefined;
  /** The URL that the endpoint will have; undefined for one that is pulled, which has no `auth`. */
  readonly url: string | undefined;
}

/** Returns the columns of a new `auth`; none if it is not given. Throws 422 for one that could not sign in. */
export async function acceptAuth(
  deps: AuthDeps,
  { scope, author, url }: Meant,
  auth: EndpointAuth | null | undefined,
): Promise<AuthColumns> {
  if (auth === undefined) return {};
  if (auth === null) return columnsOf(null);
  refuse(isOfWorkspace(scope, author) ? authFaults(auth) : [notOfTenants]);
  if (author === undefined || url === undefined) return {};
  if (auth.token_url !== undefined) await deps.net.vet(auth.token_url);
  const member = auth.type === "mtls" ? "key_secret_ref" : "secret_ref";
  const secret = await secretOf(deps, { scope, author, url }, auth);
  if ("code" in secret) throw refusal([{ pointer: `/auth/${member}`, ...secret }]);
  return columnsOf(auth, author, expiryOf(deps, auth, secret));
}

function isOfWorkspace({ tenant }: Scope, author: Author | undefined): boolean {
  return (tenant ?? null) === null && author !== undefined;
}

/** Throws if another URL would get what the secrets of `auth` prove. */
export function assertAuthSentAgain(
  held: { readonly url: string; readonly auth: unknown },
  given: { readonly url?: string | undefined; readonly auth?: EndpointAuth | null | undefined },
  present: string,
): void {
  const isElsewhere = given.url !== undefined && given.url !== present;
  if (!isElsewhere || held.auth === null || given.auth !== undefined) return;
  const message =
    "must be sent together with a new URL, because its secrets are sent only to the current URL. Send it again, or null for none";
  refuse([{ pointer: "/auth", code: "auth_required", message }]);
}

/** Returns what a secret of `auth` may be sent to: the receiver, and the token endpoint. */
export function urlsOfAuth({ token_url: tokenUrl }: EndpointAuth, url: string): string[] {
  return tokenUrl === undefined ? [url] : [tokenUrl, url];
}

export function secretNameOf({ secret_ref: name, key_secret_ref: key }: EndpointAuth): string {
  return name ?? key ?? "";
}

const notOfTenants: Violation = {
  pointer: "/auth",
  code: "tenant",
  message: "must be set by the workspace, whose secrets it names: use a credential that has no tenant",
};

function refuse(errors: readonly Violation[]): void {
  if (errors.length > 0) throw refusal(errors);
}

function refusal(errors: readonly Violation[]): ServiceError {
  return new ServiceError("validation_failed", { errors: [...errors] });
}

function columnsOf(auth: EndpointAuth | null, author?: Author, expiresAt: Instant | null = null): AuthColumns {
  return {
    auth: auth === null ? null : JSON.stringify(auth),
    auth_author_kind: author?.kind ?? null,
    auth_author_id: author?.id ?? null,
    certificate_expires_at: expiresAt === null ? null : toDate(expiresAt),
    certificate_noticed_at: null,
  };
}

async function secretOf(
  { secretFor }: AuthDeps,
  { scope, author, url }: Meant & { readonly author: Author; readonly url: string },
  auth: EndpointAuth,
): Promise<Hidden | { readonly code: string; readonly message: string }> {
  const name = secretNameOf(auth);
  const found = await secretFor(scope, name, { urls: urlsOfAuth(auth, url), by: author });
  if (found === null)
    return {
      code: "secret_missing",
      message: `names the secret ${name}, which this environment does not have. Store it with PUT /v1/secrets/${name}`,
    };
  if ("refused" in found) return { code: "secret_host", message: found.refused };
  if (auth.type !== "basic" || auth.username !== undefined || found.reveal().includes(":")) return found;
  return { code: "secret_form", message: `names the secret ${name}, which is not user:password. Or give the username` };
}

/** Returns the end of the certificate's validity. Throws 422 unless it can be presented now. */
function expiryOf({ clock }: AuthDeps, { type, certificate = "" }: EndpointAuth, key: Hidden): Instant | null {
  if (type !== "mtls") return null;
  const read = readCertificate(certificate, key, clock.now());
  if ("expiresAt" in read) return read.expiresAt;
  const pointer = `/auth/${read.of === "key" ? "key_secret_ref" : "certificate"}`;
  throw refusal([{ pointer, code: read.code, message: read.fault }]);
}

type Member = Exclude<keyof EndpointAuth, "type">;

const MEMBERS: Readonly<
  Record<(typeof TYPES)[number], { readonly required: readonly Member[]; readonly optional: readonly Member[] }>
> = {
  bearer: { required: ["secret_ref"], optional: [] },
  basic: { required: ["secret_ref"], optional: ["username"] },
  // `header` is the spelling of action contracts.
  api_key: { required: ["secret_ref"], optional: ["in", "name", "header"] },
  oauth2_client_credentials: { required: ["secret_ref", "token_url", "client_id"], optional: ["scope", "audience"] },
  mtls: { required: ["certificate", "key_secret_ref"], optional: [] },
};
const SECRET_FORM = new RegExp(SECRET_NAME);
const PARAMETER = /^[\w.~[\]$-]{1,100}$/;

function authFaults(auth: EndpointAuth): Violation[] {
  const { required, optional } = MEMBERS[auth.type];
  const known = new Set<string>(["type", ...required, ...optional]);
  const missing = required
    .filter((name) => auth[name] === undefined)
    .map((name) => ({ pointer: `/auth/${name}`, code: "required", message: `is required for ${auth.type}` }));
  const unknown = Object.keys(auth)
    .filter((name) => !known.has(name))
    .map((name) => ({ pointer: `/auth/${name}`, code: "unknown", message: `is not a member of ${auth.type}` }));
  return [...missing, ...unknown, ...nameFaults(auth)];
}

function nameFaults(auth: EndpointAuth): Violation[] {
  const refs = (["secret_ref", "key_secret_ref"] as const).filter((ref) => !SECRET_FORM.test(auth[ref] ?? "a"));
  const faults = refs.map((ref) => ({
    pointer: `/auth/${ref}`,
    code: "secret_name",
    message: "must be the name of a secret (PUT /v1/secrets/{name})",
  }));
  if (auth.username?.includes(":") === true)
    faults.push({ pointer: "/auth/username", code: "username", message: "must not contain a colon" });
  return auth.type === "api_key" ? [...faults, ...placeFaults(auth)] : faults;
}

/** Returns the faults of the place of an API key: a header, or a query parameter with a name. */
function placeFaults({ in: place, name, header }: EndpointAuth): Violation[] {
  if (header !== undefined && (name !== undefined || place === "query"))
    return [{ pointer: "/auth/header", code: "conflict", message: "must be omitted: use in and name" }];
  const pointer = `/auth/${header === undefined ? "name" : "header"}`;
  const given = name ?? header;
  if (place === "query") {
    if (given === undefined) return [{ pointer, code: "required", message: "is required for a query parameter" }];
    const message = "must be the name of a query parameter: letters, digits and . _ ~ [ ] $ -";
    return PARAMETER.test(given) ? [] : [{ pointer, code: "parameter", message }];
  }
  return headerFaults({ [given ?? KEY_HEADER]: "" }).map((fault) => ({ ...fault, pointer }));
}

/** Reads the stored `auth` of an endpoint; null if it does not sign in. */
export function storedAuth(row: {
  readonly auth: unknown;
  readonly auth_author_kind: string | null;
  readonly auth_author_id: Author["id"] | null;
}): { readonly auth: EndpointAuth; readonly by: Author } | null {
  const { auth, auth_author_kind: kind, auth_author_id: id } = row;
  if (auth === null || id === null) return null;
  return { auth: withKeyHeader(auth as EndpointAuth), by: { kind: kind === "key" ? "key" : "member", id } };
}

/** The header of an API key that names none, as in action contracts. */
const KEY_HEADER = "X-Api-Key";

function withKeyHeader(auth: EndpointAuth): EndpointAuth {
  return auth.type === "api_key" ? { ...auth, name: auth.name ?? auth.header ?? KEY_HEADER } : auth;
}

/** Returns the headers with which a request signs in, as they are shown. */
export function shownAuthHeaders(auth: EndpointAuth | undefined): Record<string, string> {
  if (auth === undefined || auth.type === "mtls" || (auth.type === "api_key" && auth.in === "query")) return {};
  return { [auth.type === "api_key" ? (auth.name ?? "") : "Authorization"]: hide("").toString() };
}
