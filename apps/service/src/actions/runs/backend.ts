import type { Clock, Sealer } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import { readAnswer } from "./backend-answer.ts";
import { backendRequest, secretTexts, targetOf } from "./backend-request.ts";
import { credentialsOf } from "../contracts/credentials.ts";
import { hostRefusal } from "../backend-secrets/secret-hosts.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { callHandler, isHandled } from "./connector-backend.ts";
import type { ActionHandler } from "./connector-backend.ts";
import { failedCall, successfulCall } from "./backend-call.ts";
import type { BackendCall, CallOutcome } from "./backend-call.ts";

export interface BackendDeps {
  readonly db: Db;
  readonly net: Pick<Net, "post">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Performs the actions of connectors' own code. */
  readonly handler: ActionHandler;
}

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
): Promise<CallOutcome> {
  if (isHandled(contract, call)) return await callHandler(deps, contract, call);
  const endpoint = targetOf(contract, call);
  if (endpoint === null) return successfulCall("null", { simulated: true, durationMs: 0 });
  const now = deps.clock.now();
  const url = await deps.inboxes.addressOf(call.scope, endpoint);
  const host = new URL(url).host;
  const credentials = credentialsOf(deps.sealer, contract, { scope: call.scope, now });
  const unsent = { host, durationMs: 0 };
  if (credentials === undefined)
    return failedCall(
      "secret_missing",
      `The contract refers to the secret ${contract.auth.secret_ref ?? ""}, which is not set in this environment. Nothing was sent.`,
      unsent,
    );
  const { auth, authHosts, author } = contract;
  const secret = auth.secret_ref === null ? undefined : { ...authHosts, name: auth.secret_ref };
  const refused = secret && (await hostRefusal(deps, call.scope, secret, { urls: [url], by: author }));
  if (refused !== undefined) return failedCall("secret_host_refused", refused, unsent);
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
): CallOutcome {
  const facts = { status: exchange.status, host, durationMs: Math.round(exchange.latency.total) };
  if (exchange.blockReason !== undefined)
    return failedCall(
      "url_blocked",
      "The contract's endpoint resolves to an address that the service does not send requests to. Nothing was sent.",
      { ...facts, extra: { reason: exchange.blockReason } },
    );
  const outcome = readAnswer(exchange, contract.response, secrets);
  return { ...outcome, ...facts, retryable: outcome.retryable && (!exchange.sent || contract.idempotent) };
}
