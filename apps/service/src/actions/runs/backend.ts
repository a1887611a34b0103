import type { Clock, Sealer } from "../../lib/lib.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import { readAnswer } from "./backend-answer.ts";
import { backendRequest, secretTexts, targetOf } from "./backend-request.ts";
import { credentialsOf } from "../contracts/credentials.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { SecretHosts, SecretUse } from "../backend-secrets/secret-hosts.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { callHandler, isHandled } from "./connector-backend.ts";
import type { ActionHandler } from "./connector-backend.ts";
import type { BackendCall, BackendOutcome } from "./backend-call.ts";

export interface BackendDeps {
  readonly net: Pick<Net, "post">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Performs the actions of connectors' own code. */
  readonly handler: ActionHandler;
  /** Returns the reason why the contract's secret may not be sent; undefined if it may. */
  secretRefusal(
    scope: Scope,
    secret: SecretHosts & { readonly name: string },
    use: SecretUse,
  ): Promise<string | undefined>;
}

type Failed = Extract<BackendOutcome, { ok: false }>;

const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_CONNECT_MS = 5000;

/**
 * Makes exactly one call. The caller repeats what is `retryable`. No behavior of the backend makes it throw.
 * `timeout_ms` bounds the whole call, from the name lookup to the end of the response.
 */
export async function callBackend(
  deps: BackendDeps,
  contract: CurrentContract,
  call: BackendCall,
): Promise<BackendOutcome> {
  if (isHandled(contract, call)) return await callHandler(deps, contract, call);
  const endpoint = targetOf(contract, call);
  if (endpoint === null) return { ok: true, simulated: true, result: "null", status: null, host: null, durationMs: 0 };
  const now = deps.clock.now();
  const url = await deps.inboxes.addressOf(call.scope, endpoint);
  const host = new URL(url).host;
  const credentials = credentialsOf(deps.sealer, contract, { scope: call.scope, now });
  if (credentials === undefined) return secretMissing(contract, host);
  const { auth, authHosts, author } = contract;
  const secret = auth.secret_ref === null ? undefined : { ...authHosts, name: auth.secret_ref };
  const refused = secret && (await deps.secretRefusal(call.scope, secret, { urls: [url], by: author }));
  if (refused !== undefined) return { ...unsent(host), errorCode: "secret_host_refused", detail: refused };
  const { headers, body } = backendRequest(contract, call, { ...credentials, now });
  const exchange = await deps.net.post({
    url,
    headers,
    body,
    once: !contract.idempotent,
    connectTimeoutMs: Math.min(MAX_CONNECT_MS, contract.timeout_ms),
    totalTimeoutMs: contract.timeout_ms,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  return outcomeOf(contract, exchange, { host, secrets: secretTexts(contract, credentials) });
}

function outcomeOf(
  contract: CurrentContract,
  exchange: Exchange,
  { host, secrets }: { readonly host: string; readonly secrets: readonly string[] },
): BackendOutcome {
  const facts = { status: exchange.status, host, durationMs: Math.round(exchange.latency.total) };
  if (exchange.blockReason !== undefined) return { ...facts, ...blocked(exchange.blockReason) };
  const reading = readAnswer(exchange, contract.response, secrets);
  if (reading.ok) return { ...reading, ...facts, simulated: false };
  const { passing, ...failure } = reading;
  return { ...failure, ...facts, extra: {}, retryable: passing && (!exchange.sent || contract.idempotent) };
}

function blocked(
  reason: string,
): Pick<Failed, "ok" | "errorCode" | "detail" | "extra" | "outcomeUnknown" | "retryable"> {
  return {
    ok: false,
    errorCode: "url_blocked",
    detail:
      "The contract's endpoint resolves to an address that the service does not send requests to. Nothing was sent.",
    extra: { reason },
    outcomeUnknown: false,
    retryable: false,
  };
}

function secretMissing({ auth }: CurrentContract, host: string): Failed {
  return {
    ...unsent(host),
    errorCode: "secret_missing",
    detail: `The contract refers to the secret ${auth.secret_ref ?? ""}, which is not set in this environment. Nothing was sent.`,
  };
}

function unsent(host: string): Omit<Failed, "errorCode" | "detail"> {
  return { ok: false, extra: {}, status: null, host, durationMs: 0, outcomeUnknown: false, retryable: false };
}
