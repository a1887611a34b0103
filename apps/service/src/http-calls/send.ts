import { headersWithout, TooExpensiveError, unixSeconds, VERSION } from "../lib/lib.ts";
import type { Clock, Hidden, Id } from "../lib/lib.ts";
import {
  authHeaders,
  encodedParameter,
  secretForms,
  standardHeaders,
  withKeyParameter,
} from "../platform/outbound-http/outbound-http.ts";
import type { AccessTokens, Exchange, Net } from "../platform/outbound-http/outbound-http.ts";
import type { Author, Caller, Scope } from "../accounts/accounts.ts";
import type { OwnInboxes } from "../webhooks/webhooks.ts";
import { answerText, MAX_ANSWER_BYTES } from "./answer.ts";
import { DEFAULT_TIMEOUT_MS, isSuccess, readCall } from "./call.ts";
import type { CallAuth, HttpCall } from "./call.ts";
import type { TryResponse } from "./http-calls.store.ts";

/** The author or the caller who lets a call's secret be sent. */
type SecretUser = Author | Caller["key"] | null;

export interface SendDeps {
  readonly clock: Clock;
  readonly net: Pick<Net, "send">;
  readonly tokens: AccessTokens;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  /** Returns the value of a secret for these URLs; null if there is no such secret. `refused`: it may not go there. */
  secretFor(
    scope: Scope,
    name: string,
    use: { readonly urls: readonly string[]; readonly by: SecretUser },
  ): Promise<Hidden | { readonly refused: string } | null>;
}

/** The result of one try. */
export interface Try extends TryResponse {
  readonly isDone: boolean;
  /** The same request may succeed later. */
  readonly isPassing: boolean;
  /** The sender's `Retry-After`. */
  readonly retryAfter: string | undefined;
}

/** A stored call that is due. */
export interface Outgoing {
  readonly scope: Scope;
  readonly text: string;
  /** The same for every try, so that an API that knows it acts once. It is the idempotency key and the `webhook-id`. */
  readonly id: Id;
  readonly by: SecretUser;
  /** Returns the secrets that sign the call; null if the current master key cannot decrypt them. */
  signing(): Promise<readonly Hidden[] | null>;
}

interface Sending extends Pick<Outgoing, "scope" | "text" | "id"> {
  readonly call: HttpCall;
  /** Empty if the call is not signed. */
  readonly signing: readonly Hidden[];
}

/** Parts of an exchange besides the call itself: its proof, and the texts that the response must not repeat. */
interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly url?: string;
}

/** Statuses after which the same request may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const CONNECT_MS = 5000;

/** Sends a stored call once, through the guard. Redirects are not followed. No behavior of the receiver makes it throw. */
export async function sendCall(deps: SendDeps, outgoing: Outgoing): Promise<Try> {
  const { scope, text } = outgoing;
  const call = readCall(text);
  const signing = call.sign === true ? await outgoing.signing() : [];
  if (signing === null)
    return failedTry(
      "secret_unreadable",
      "The current master key cannot decrypt the signing secret. Nothing was sent.",
    );
  const sending = { ...outgoing, call, signing };
  if (call.auth === null) return await exchangeOnce(deps, sending, { headers: {}, secrets: [] });
  // An access token is as good as the secret that it was exchanged for, so that both go to the secret's hosts alone.
  const { token_url: tokenUrl } = call.auth;
  const urls = tokenUrl === undefined ? [call.url] : [tokenUrl, call.url];
  const secret = await deps.secretFor(scope, call.auth.secret_ref, { urls, by: outgoing.by });
  if (secret !== null && "refused" in secret) return failedTry("secret_host", secret.refused);
  if (secret === null)
    return failedTry(
      "secret_missing",
      `The secret ${call.auth.secret_ref} is not set in this environment. Nothing was sent.`,
    );
  if (call.auth.type === "oauth2_client_credentials") return await withToken(deps, sending, call.auth, secret);
  return await exchangeOnce(deps, sending, {
    headers: authHeaders(call.auth, secret),
    secrets: secretForms(call.auth, secret),
    url: withKeyParameter(call.url, call.auth, encodedParameter(secret.reveal())),
  });
}

/** Sends with an access token, and once more with a new one if the API does not accept it. */
async function withToken(deps: SendDeps, sending: Sending, auth: CallAuth, secret: Hidden): Promise<Try> {
  const request = { tag: sending.scope.tag, auth, secret };
  let rejected: Hidden | undefined;
  for (;;) {
    const got = await deps.tokens.token(request, rejected);
    if ("fault" in got) return failedTry("auth", `There is no access token: ${got.fault}.`, got.isPassing);
    const headers = { Authorization: `Bearer ${got.token.reveal()}` };
    const tried = await exchangeOnce(deps, sending, { headers, secrets: [got.token.reveal(), secret.reveal()] });
    if (tried.status !== 401 || rejected !== undefined) return tried;
    rejected = got.token;
  }
}

async function exchangeOnce(
  { net, inboxes, clock }: SendDeps,
  { scope, call, text, id, signing }: Sending,
  { headers, secrets, url = call.url }: Credentials,
): Promise<Try> {
  const secretTexts = signing.map((secret) => secret.reveal());
  const signed = { id, timestamp: unixSeconds(clock.now()), body: call.body ?? "" };
  const signature = secretTexts.length === 0 ? {} : standardHeaders(secretTexts, signed);
  const exchange = await net.send({
    method: call.method,
    url: await inboxes.addressOf(scope, url),
    headers: { ...requestHeaders(call, id), ...headers, ...signature },
    body: call.body,
    once: !SAFE.has(call.method),
    connectTimeoutMs: Math.min(CONNECT_MS, call.timeout_ms ?? DEFAULT_TIMEOUT_MS),
    totalTimeoutMs: call.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  return triedOf(exchange, { text, secrets, expose: call.expose });
}

/** Returns the headers of a request without those that prove who sends it. */
export function requestHeaders(call: HttpCall, idempotencyKey: string): Record<string, string> {
  const own = {
    ...(call.content_type === null ? {} : { "Content-Type": call.content_type }),
    Accept: "application/json, */*;q=0.5",
    "User-Agent": `Junction/${VERSION}`,
  };
  return { ...headersWithout(own, call.headers), ...call.headers, "Idempotency-Key": idempotencyKey };
}

function triedOf(
  exchange: Exchange,
  {
    text,
    ...reading
  }: { readonly text: string; readonly secrets: readonly string[]; readonly expose: readonly string[] | null },
): Try {
  const { status, errorClass, errorDetail, latency } = exchange;
  const durationMs = Math.round(latency.total);
  if (status === null) {
    const isBlocked = errorClass === "target_refused";
    const error = isBlocked
      ? "The URL resolves to an address that the service does not send requests to. Nothing was sent."
      : `There was no response: ${errorDetail ?? errorClass ?? "unknown"}.`;
    return { ...failedTry(errorClass ?? "network", error, !isBlocked), durationMs };
  }
  const response = answerText(exchange, reading);
  // The condition reads the whole response, of which `expose` may keep only a part.
  const whole = (): string => (reading.expose === null ? response : answerText(exchange, { ...reading, expose: null }));
  const isDone = judgedOf(() => isSuccess(text, status, whole));
  if (isDone === "too_expensive") return { ...failedTry(isDone, TOO_EXPENSIVE), status, response, durationMs };
  const retryAfter = exchange.headers["retry-after"];
  if (isDone)
    return { isDone, isPassing: false, status, response, errorClass: null, error: null, durationMs, retryAfter };
  const isPassing = PASSING.has(status) || status >= 500;
  return { ...failedTry("response", targetRefusal(status), isPassing), status, response, durationMs, retryAfter };
}

function targetRefusal(status: number): string {
  const isRedirect = status >= 300 && status <= 399;
  return isRedirect
    ? `The response is a redirect (status ${status}), which is not followed.`
    : `The response with status ${status} is not a success.`;
}

const TOO_EXPENSIVE =
  "The condition success_when is too expensive for the response (too_expensive), so it is not known whether the call succeeded. Use fewer or simpler leaves.";

function judgedOf(judge: () => boolean): boolean | "too_expensive" {
  try {
    return judge();
  } catch (error) {
    if (error instanceof TooExpensiveError) return "too_expensive";
    throw error;
  }
}

/** Returns the result of a try without a response. */
export function failedTry(errorClass: string, error: string, isPassing = false): Try {
  return {
    isDone: false,
    isPassing,
    status: null,
    response: null,
    errorClass,
    error,
    durationMs: 0,
    retryAfter: undefined,
  };
}
