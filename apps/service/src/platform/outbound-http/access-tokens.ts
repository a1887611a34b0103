import { after, foreignJson, hide, isRecord, sha256 } from "../../lib/lib.ts";
import type { Clock, Hidden, Instant, Tag } from "../../lib/lib.ts";
import type { Exchange } from "./request-attempt.ts";

/** Access tokens of OAuth 2.0 client credentials (RFC 6749, section 4.4), which this process keeps until they expire. */
export type AccessTokens = ReturnType<typeof createAccessTokens>;

export interface TokenRequest {
  /** The environment that the secret belongs to. */
  readonly tag: Tag;
  readonly auth: TokenGrant;
  readonly secret: Hidden;
  /** The time limit of the request. Default: 10 000. */
  readonly timeoutMs?: number;
}

/** The part of outbound HTTP that fetches tokens. */
export interface TokenSender {
  send(request: {
    readonly method: "POST";
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly connectTimeoutMs: number;
    readonly totalTimeoutMs: number;
    readonly maxBodyBytes: number;
  }): Promise<Exchange>;
}

/** The request for the token. */
export interface TokenGrant {
  readonly token_url?: string | undefined;
  readonly client_id?: string | undefined;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
}

export type TokenAnswer =
  | { readonly token: Hidden }
  /** `isPassing`: the same request may succeed later. */
  | { readonly fault: string; readonly isPassing: boolean; readonly isOfProxy?: true };

interface CachedToken {
  readonly token: Hidden;
  readonly until: Instant;
}

const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5000;
const MAX_BYTES = 32_768;
const MOST_KEPT = 1000;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** The lifetime of a token whose response does not state one. */
const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 86_400;
/** A token is not used for the last minute of its lifetime. */
const EARLY_SECONDS = 60;

export function createAccessTokens({ net, clock }: { readonly net: TokenSender; readonly clock: Clock }) {
  const kept = new Map<string, CachedToken>();
  // Concurrent calls wait for one request, because token endpoints limit how many they answer.
  const pending = new Map<string, Promise<TokenAnswer>>();

  async function fetchAndKeep(key: string, request: TokenRequest): Promise<TokenAnswer> {
    const answer = await fetchToken(net, request);
    if ("fault" in answer) return answer;
    const token = hide(answer.token);
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { token, until: after(clock.now(), (answer.seconds - EARLY_SECONDS) * 1000) });
    return { token };
  }

  return {
    /** Returns a token. `rejected` is one that the API did not accept: it is not returned again. */
    async token(request: TokenRequest, rejected?: Hidden): Promise<TokenAnswer> {
      const key = keyOf(request);
      const found = kept.get(key);
      const isUsable = found !== undefined && clock.now() < found.until && found.token.reveal() !== rejected?.reveal();
      if (isUsable) return { token: found.token };
      const begun = pending.get(key) ?? fetchAndKeep(key, request).finally(() => pending.delete(key));
      pending.set(key, begun);
      return await begun;
    },
  };
}

/** Names everything that a token depends on, with the secret, so that a new secret gets a new token. */
function keyOf({ tag, auth, secret }: TokenRequest): string {
  const { token_url: url, client_id: client, scope = "", audience = "" } = auth;
  return sha256(JSON.stringify([tag, url, client, scope, audience, secret.reveal()])).toString("base64");
}

type Fetched = { readonly token: string; readonly seconds: number } | Extract<TokenAnswer, { fault: string }>;

async function fetchToken(net: TokenSender, { auth, secret, timeoutMs }: TokenRequest): Promise<Fetched> {
  const { token_url: url = "", client_id: client = "", scope, audience } = auth;
  const fields = {
    grant_type: "client_credentials",
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  };
  // Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1).
  const credentials = `${encodeURIComponent(client)}:${encodeURIComponent(secret.reveal())}`;
  const exchange = await net.send({
    method: "POST",
    url,
    headers: {
      Authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
    },
    body: new URLSearchParams(fields).toString(),
    connectTimeoutMs: Math.min(CONNECT_MS, timeoutMs ?? TIMEOUT_MS),
    totalTimeoutMs: timeoutMs ?? TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  });
  return fetchedOf(exchange, scope);
}

function fetchedOf(
  { status, errorClass, errorDetail, truncated, body, headers }: Exchange,
  scope: string | undefined,
): Fetched {
  if (status === null) return unanswered(errorClass, errorDetail);
  const answer = truncated ? undefined : foreignJson(body, headers["content-type"]);
  const members = isRecord(answer) ? answer : {};
  const { access_token: token, expires_in: seconds } = members;
  if (status === 200 && typeof token === "string" && TOKEN.test(token)) {
    const fault = faultOfGrant(members, scope);
    return fault === undefined ? { token, seconds: lifetimeOf(seconds) } : { fault, isPassing: false };
  }
  const isPassing = status >= 500 || status === 429;
  return { fault: `the token endpoint responded with status ${status} and ${reasonOf(members)}`, isPassing };
}

function unanswered(errorClass: Exchange["errorClass"], detail: string | null): Fetched {
  const why = detail ?? errorClass ?? "no response";
  if (errorClass === "proxy") return { fault: why, isPassing: true, isOfProxy: true };
  return { fault: `the token endpoint did not respond (${why})`, isPassing: errorClass !== "target_refused" };
}

/** The codes of RFC 6749, section 5.2, as the server wrote them. */
const ERROR_CODE = /^[a-z_]{1,60}$/;

function reasonOf({ error }: Readonly<Record<string, unknown>>): string {
  return typeof error === "string" && ERROR_CODE.test(error) ? `the error ${error}` : "no access token";
}

/** Returns why a token is not the one that was asked for. */
function faultOfGrant(
  { token_type: type, scope: granted }: Readonly<Record<string, unknown>>,
  scope = "",
): string | undefined {
  if (typeof type === "string" && type.toLowerCase() !== "bearer")
    return "the token endpoint granted a token of another type than Bearer";
  // A server states the scopes if they are not those of the request (RFC 6749, section 5.1).
  if (typeof granted !== "string" || granted === "") return undefined;
  const given = new Set(granted.split(/[\s,]+/));
  const missing = scope.split(" ").filter((one) => one !== "" && !given.has(one));
  return missing.length === 0 ? undefined : `the token endpoint did not grant the scope ${missing.join(" ")}`;
}

/** Some servers send the number as a text. An object may not even become one. */
function lifetimeOf(seconds: unknown): number {
  const given = typeof seconds === "string" || typeof seconds === "number" ? Number(seconds) : DEFAULT_SECONDS;
  return Number.isFinite(given) ? Math.min(Math.max(given, 0), MAX_SECONDS) : DEFAULT_SECONDS;
}
