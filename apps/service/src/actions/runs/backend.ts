import type { Clock, Id, Instant, Sealer } from "../../lib/lib.ts";
import type { OwnInboxes } from "../../webhooks/deliveries/deliver.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";
import type { Actor } from "../actor.ts";
import { readAnswer } from "./backend-answer.ts";
import { backendRequest, credentialsOf, secretTexts, targetOf } from "./backend-request.ts";
import type { ParameterValue } from "../contracts/contract.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { callHandler, isHandled } from "./connector-backend.ts";
import type { ActionHandler } from "./connector-backend.ts";

/** One call of a contract's backend. */
export interface BackendCall {
  /** `undo` goes to `undo.endpoint`. */
  readonly kind: "execute" | "undo";
  readonly scope: Scope;
  readonly runId: Id;
  readonly proposalId: Id | null;
  /** As `checkParameters` let them pass. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly actor: Pick<Actor, "type" | "id" | "display">;
  readonly requestedAt: Instant;
  /** What is undone had answered with this: JSON text. */
  readonly result?: string;
}

/** Codes of the one catalogue, so that a refusal and a kept failure say the same. */
export type BackendErrorCode =
  | "action_endpoint_failed"
  | "action_endpoint_redirect"
  | "action_endpoint_timeout"
  | "url_blocked"
  | "secret_missing";

export type BackendOutcome =
  | {
      readonly ok: true;
      /** Nothing was called: a sandbox run of a contract that has no endpoint for it. */
      readonly simulated: boolean;
      /** JSON text, its numbers spelled as the backend spelled them; what `expose` leaves out and secrets are gone. */
      readonly result: string;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly errorCode: BackendErrorCode;
      /** Why, for people: without addresses and secrets. */
      readonly detail: string;
      /** Further members of the problem document, such as `reason` of `url_blocked`. */
      readonly extra: Readonly<Record<string, unknown>>;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
      /** The backend may have done it: no whole answer came after the request was sent. */
      readonly outcomeUnknown: boolean;
      /** The same call may be made again: it was surely never sent, or the contract is idempotent and the fault may pass. */
      readonly retryable: boolean;
    };

export interface BackendDeps {
  readonly net: Pick<Net, "post">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Performs what connectors' own code does. */
  readonly handler: ActionHandler;
}

type Failed = Extract<BackendOutcome, { ok: false }>;

const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_CONNECT_MS = 5000;

/**
 * Makes one call and never another one: the caller repeats what is `retryable`. Never throws for anything that the backend does.
 * `timeout_ms` bounds the whole of it, name and answer included.
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
  const { headers, body } = backendRequest(contract, call, { ...credentials, now });
  const exchange = await deps.net.post({
    url,
    headers,
    body,
    once: !contract.idempotent,
    connectTimeoutMs: Math.min(MAX_CONNECT_MS, contract.timeoutMs),
    totalTimeoutMs: contract.timeoutMs,
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
    detail: "The contract's endpoint leads to an address that the service does not send to. Nothing was sent.",
    extra: { reason },
    outcomeUnknown: false,
    retryable: false,
  };
}

function secretMissing({ auth }: CurrentContract, host: string): Failed {
  return {
    ok: false,
    errorCode: "secret_missing",
    detail: `The contract names the secret ${auth.secretRef ?? ""}, which is not set in this environment. Nothing was sent.`,
    extra: {},
    status: null,
    host,
    durationMs: 0,
    outcomeUnknown: false,
    retryable: false,
  };
}
