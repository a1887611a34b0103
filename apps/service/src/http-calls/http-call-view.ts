import { fromDate, spliced, tagOf, toRfc3339, uuidTime, wireId } from "../lib/lib.ts";
import { scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { keyHeader, withKeyParameter } from "../platform/outbound-http/outbound-http.ts";
import { DEFAULT_RETRIES, readCall } from "./call.ts";
import type { HttpCall } from "./call.ts";
import { requestHeaders } from "./send.ts";
import type { CallRow } from "./http-calls.store.ts";

const REDACTED = "[redacted]";

/** Returns a call as JSON text. The response keeps its spelling. */
export function callText(scope: Scope, row: CallRow): string {
  const { tag } = row;
  const call = readCall(row.request);
  const id = wireId("call", tag, row.id);
  const head = {
    id,
    object: "http_call",
    ...ownerOf(row),
    step: row.step,
    event_id: row.event_id === null ? null : wireId("evt", tag, row.event_id),
    replay_of: row.replay_of === null ? null : wireId("call", tag, row.replay_of),
    state: row.state,
    attempts: row.attempts,
    max_attempts: (call.retries ?? DEFAULT_RETRIES) + 1,
    status_code: row.status_code,
    error_class: row.error_class,
    error: row.error,
    duration_ms: row.duration_ms,
    // While a call is leased, `due_at` is the end of the lease.
    next_attempt_at: row.lease_id === null && row.due_at !== null ? toRfc3339(fromDate(row.due_at)) : null,
    ended_at: row.ended_at === null ? null : toRfc3339(fromDate(row.ended_at)),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    request: requestView(call, id),
  };
  return spliced(head, { response: row.response });
}

function ownerOf({ tag, owner_kind: kind, owner_id: owner, owner_name: name, run_id: run }: CallRow): object {
  const live = tagOf(tag, "live");
  const isRule = kind === "rule";
  return {
    rule_id: isRule ? wireId("rule", live, owner) : null,
    workflow_id: isRule ? null : wireId("wf", live, owner),
    owner_name: name,
    run_id: wireId(isRule ? "rrun" : "wfr", tag, run),
  };
}

/** Returns a request as it is sent, with its secrets replaced. */
export function requestView(call: HttpCall, idempotencyKey: string) {
  const { method, url, body, auth } = call;
  const headers = {
    ...requestHeaders(call, idempotencyKey),
    ...proofView(auth),
    ...signatureView(call, idempotencyKey),
  };
  return { method, url: auth === null ? url : withKeyParameter(url, auth, REDACTED), headers, body, auth };
}

function proofView(auth: HttpCall["auth"]): Record<string, string> {
  if (auth === null) return {};
  const header = auth.type === "api_key" ? keyHeader(auth) : "Authorization";
  return header === undefined ? {} : { [header]: REDACTED };
}

/** Returns the headers of a signature. Each try has a time and a signature of its own. */
function signatureView({ sign }: HttpCall, id: string): Record<string, string> {
  if (sign !== true) return {};
  return { "webhook-id": id, "webhook-timestamp": "[time of the try]", "webhook-signature": REDACTED };
}
