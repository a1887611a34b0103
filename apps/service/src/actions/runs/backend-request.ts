import { canonicalJson, toRfc3339, unixSeconds, VERSION } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { authHeaders, hmacHex, secretForms, standardHeaders } from "../../platform/outbound-http/outbound-http.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Contract } from "../contracts/contract.ts";
import type { Credentials } from "../contracts/credentials.ts";
import type { BackendCall } from "./backend-call.ts";

export interface BackendRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const EVENTS = { execute: "action.execute", undo: "action.undo" } as const;

/** Returns the URL of a call; null if the call is simulated. The sandbox never reaches production addresses. */
export function targetOf(contract: Contract, { kind, scope }: Pick<BackendCall, "kind" | "scope">): string | null {
  if (scope.environment === "sandbox") return contract.sandbox_endpoint;
  return kind === "execute" ? contract.endpoint : (contract.undo?.endpoint ?? null);
}

/**
 * Builds the request of a call (contract, section 7), signed in the same way as a webhook. The body is the same on
 * every attempt. An undo names its run, but has a delivery id of its own, because a receiver may drop ids that it has
 * seen.
 */
export function backendRequest(
  contract: Contract,
  call: BackendCall,
  credentials: Credentials & { now: Instant },
): BackendRequest {
  const { runId, scope } = call;
  const body = bodyOf(contract, call);
  const timestamp = unixSeconds(credentials.now);
  const delivery = call.kind === "execute" ? runId : `${runId}-undo`;
  const [signing] = credentials.signing;
  return {
    body,
    headers: {
      ...(credentials.secret === null ? {} : authHeaders(contract.auth, credentials.secret)),
      "Content-Type": "application/json",
      Accept: "application/json",
      "User-Agent": `Junction/${VERSION}`,
      "X-Service-Signature": hmacHex(signing.reveal(), body),
      "X-Service-Timestamp": String(timestamp),
      "X-Service-Event": EVENTS[call.kind],
      "X-Service-Delivery": delivery,
      "X-Service-Idempotency": `idk_${delivery.slice("run_".length)}`,
      "X-Service-Environment": scope.environment,
      ...standardHeaders(
        credentials.signing.map((secret) => secret.reveal()),
        { id: delivery, timestamp, body },
      ),
    },
  };
}

/** Returns the texts that a response must not repeat: the secrets, and the forms in which they are sent. */
export function secretTexts({ auth }: Contract, { signing, secret }: Credentials): string[] {
  const forms = secret === null ? [] : secretForms(auth, secret);
  const texts = [...signing.map((one) => one.reveal()), ...forms];
  return texts.flatMap((text) => [text, text.replace(/^whsec_/, "")]);
}

function bodyOf(
  contract: Contract,
  { kind, runId, proposalId, parameters, actor, scope, ...call }: BackendCall,
): string {
  const { scope_kind, scope_key, environment } = scopeFields(scope);
  const head = { action: contract.key, run_id: runId, proposal_id: proposalId };
  const tail = {
    actor: shownActor(actor),
    scope_kind,
    scope_key,
    environment,
    requested_at: toRfc3339(call.requestedAt),
  };
  // The parameters are exactly the text that the proposal's hash covers.
  const parts = [
    JSON.stringify(head).slice(1, -1),
    `"parameters":${canonicalJson(parameters)}`,
    JSON.stringify(tail).slice(1, -1),
  ];
  if (kind === "undo") parts.push(`"result":${call.result ?? "null"}`);
  return `{${parts.join(",")}}`;
}

function shownActor({ type, id, display }: BackendCall["actor"]): object {
  return { type, id, display };
}
