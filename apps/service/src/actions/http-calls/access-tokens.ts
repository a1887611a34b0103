import { after, foreignJson, hide, isRecord, sha256 } from "../../lib/lib.ts";
import type { Clock, Hidden, Instant } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { CallAuth } from "./call.ts";

/** Access tokens of OAuth 2.0 client credentials (RFC 6749, section 4.4), which this process keeps until they expire. */
export interface AccessTokens {
  /** Returns a token. `rejected` is one that the API did not accept: it is not returned again. */
  token(request: TokenRequest, rejected?: Hidden): Promise<TokenAnswer>;
}

export interface TokenRequest {
  readonly scope: Scope;
  readonly auth: CallAuth;
  readonly secret: Hidden;
}

export type TokenAnswer =
  | { readonly token: Hidden }
  /** `isPassing`: the same request may succeed later. */
  | { readonly fault: string; readonly isPassing: boolean };

interface Kept {
  readonly token: Hidden;
  readonly until: Instant;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 32_768;
const MOST_KEPT = 1000;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** The lifetime of a token whose response does not state one. */
const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 86_400;
/** A token is not used for the last seconds of its lifetime. */
const EARLY_SECONDS = 30;

export function createAccessTokens({
  net,
  clock,
}: {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
}): AccessTokens {
  const kept = new Map<string, Kept>();
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
    async token(request, rejected) {
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
function keyOf({ scope, auth, secret }: TokenRequest): string {
  const { token_url: url, client_id: client, scope: granted = "" } = auth;
  return sha256(JSON.stringify([scope.tag, url, client, granted, secret.reveal()])).toString("base64");
}

type Fetched = { readonly token: string; readonly seconds: number } | Extract<TokenAnswer, { fault: string }>;

async function fetchToken(net: Pick<Net, "send">, { auth, secret }: TokenRequest): Promise<Fetched> {
  const { token_url: url = "", client_id: client = "", scope } = auth;
  const fields = { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) };
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
    totalTimeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  });
  return fetchedOf(exchange);
}

function fetchedOf({ status, errorClass, errorDetail, truncated, body }: Exchange): Fetched {
  if (status === null) {
    const isPassing = errorClass !== "target_refused";
    return { fault: `the token endpoint did not respond (${errorDetail ?? errorClass ?? "no response"})`, isPassing };
  }
  const answer = status === 200 && !truncated ? foreignJson(body) : undefined;
  const members = isRecord(answer) ? answer : {};
  const { access_token: token, expires_in: seconds } = members;
  if (typeof token === "string" && TOKEN.test(token)) return { token, seconds: lifetimeOf(seconds) };
  const isPassing = status >= 500 || status === 429;
  return { fault: `the token endpoint responded with status ${status} and no access token`, isPassing };
}

/** Some servers send the number as a text. An object may not even become one. */
function lifetimeOf(seconds: unknown): number {
  const given = typeof seconds === "string" || typeof seconds === "number" ? Number(seconds) : DEFAULT_SECONDS;
  return Number.isFinite(given) ? Math.min(Math.max(given, 0), MAX_SECONDS) : DEFAULT_SECONDS;
}
