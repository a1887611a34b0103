import { headersWithout, hide, isPassing } from "../../lib/lib.ts";
import type { Clock, Hidden, Tag, Uuid } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import {
  authHeaders,
  encodedParameter,
  readCertificate,
  secretForms,
  unsent,
  withKeyParameter,
} from "../../platform/outbound-http/outbound-http.ts";
import type { AccessTokens, Exchange, Net, OutboundRequest } from "../../platform/outbound-http/outbound-http.ts";
import { secretNameOf, urlsOfAuth } from "./endpoint-auth.ts";
import type { EndpointAuth, SecretFor } from "./endpoint-auth.ts";

/** How an endpoint signs in, and who lets its secret be sent. */
export interface StoredAuth {
  readonly auth: EndpointAuth;
  readonly by: Author;
}

/** An exchange with the receiver, or none because the service could not sign in. */
export type SignedExchange = Omit<Exchange, "errorClass"> & {
  readonly errorClass: Exchange["errorClass"] | "auth";
  /** The texts that signed in. The log shows none of them, also if the response repeats them. */
  readonly credentials: readonly Hidden[];
};

export interface SignInDeps {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
  readonly tokens: AccessTokens;
  readonly secretFor: SecretFor;
}

export interface Signer {
  readonly tag: Tag;
  readonly workspaceId: Uuid;
  readonly stored: StoredAuth;
}

/** The whole attempt, with the requests for access tokens, ends within the lease of its delivery. */
const TOTAL_MS = 24_000;
const TOKEN_MS = 8000;
const RECEIVER_MS = 15_000;
/** The least time for which a request is repeated with a new token. */
const LEAST_MS = 3000;

/** Sends a request as the endpoint's `auth` says. Never throws because of a receiver, a token endpoint or a secret. */
export async function sendSignedIn(
  deps: SignInDeps,
  { tag, workspaceId, stored }: Signer,
  request: OutboundRequest,
): Promise<SignedExchange> {
  const { auth, by } = stored;
  const scope: Scope = scopeOf(workspaceId, tag);
  const name = secretNameOf(auth);
  const secret = await deps
    .secretFor(scope, name, { urls: urlsOfAuth(auth, request.url), by })
    .catch((error: unknown) => unreadable(name, error));
  if (secret === null) return notSent(`The secret ${name} is not set in this environment. Nothing was sent.`);
  if ("refused" in secret) return notSent(secret.refused);
  if (auth.type === "oauth2_client_credentials") return await withToken(deps, { tag, auth, secret }, request);
  if (auth.type === "mtls") return await withCertificate(deps, auth, secret, request);
  return await withSecret(deps, auth, secret, request);
}

/** A secret that another master key encrypted is a fault of the attempt. A failure of the database is none. */
function unreadable(name: string, error: unknown): { readonly refused: string } {
  if (isPassing(error)) throw error;
  return { refused: `The current master key cannot decrypt the secret ${name}. Nothing was sent.` };
}

async function withSecret(
  { net }: SignInDeps,
  auth: EndpointAuth,
  stored: Hidden,
  request: OutboundRequest,
): Promise<SignedExchange> {
  const secret = auth.username === undefined ? stored : hide(`${auth.username}:${stored.reveal()}`);
  const headers = authHeaders(auth, secret);
  const url = withKeyParameter(request.url, auth, encodedParameter(secret.reveal()));
  const exchange = await net.send({ ...request, url, headers: withHeaders(request.headers, headers) });
  return { ...exchange, credentials: secretForms(auth, secret).map(hide) };
}

async function withCertificate(
  { net, clock }: SignInDeps,
  { certificate = "" }: EndpointAuth,
  key: Hidden,
  request: OutboundRequest,
): Promise<SignedExchange> {
  const read = readCertificate(certificate, key, clock.now());
  if ("fault" in read) return notSent(`The client certificate cannot be used: its ${read.of} ${read.fault}.`);
  return { ...(await net.send({ ...request, client: { certificate, key } })), credentials: [] };
}

/** Sends with an access token, and once more with a new one if the receiver answers 401. */
async function withToken(
  { net, clock, tokens }: SignInDeps,
  asked: { readonly tag: Tag; readonly auth: EndpointAuth; readonly secret: Hidden },
  request: OutboundRequest,
): Promise<SignedExchange> {
  const endMs = clock.monotonicMs() + TOTAL_MS;
  const leftMs = (most: number): number => Math.min(most, endMs - clock.monotonicMs());
  let last: { readonly token: Hidden; readonly exchange: Exchange } | undefined;
  for (;;) {
    const got = await tokens.token({ ...asked, timeoutMs: leftMs(TOKEN_MS) }, last?.token);
    if ("fault" in got) {
      if (last !== undefined) return { ...last.exchange, credentials: [asked.secret, last.token] };
      return notSent(
        `There is no access token: ${got.fault}. Nothing was sent.`,
        got.isOfProxy === true ? "proxy" : "auth",
      );
    }
    const { token } = got;
    const headers = withHeaders(request.headers, { Authorization: `Bearer ${token.reveal()}` });
    const exchange = await net.send({ ...request, headers, totalTimeoutMs: leftMs(RECEIVER_MS) });
    const isFinal = exchange.status !== 401 || last !== undefined || leftMs(TOTAL_MS) < LEAST_MS;
    if (isFinal) return { ...exchange, credentials: [asked.secret, token] };
    last = { token, exchange };
  }
}

/** Returns the headers with those that sign in, which replace others of the same name. */
export function withHeaders(headers: Record<string, string>, added: Record<string, string>): Record<string, string> {
  return { ...headersWithout(headers, added), ...added };
}

function notSent(errorDetail: string, errorClass: "auth" | "proxy" = "auth"): SignedExchange {
  return { ...unsent(errorClass, errorDetail), credentials: [] };
}
