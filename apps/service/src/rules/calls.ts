import { VERSION } from "../kernel/kernel.ts";
import type { Id, Uuid, Violation } from "../kernel/kernel.ts";
import type { Exchange, Net } from "../net/net.ts";
import type { Author, Scope } from "../workspaces/workspaces.ts";
import type { CapabilityType } from "./actions.ts";

/** What a run still has to do elsewhere, as it is kept until it is done: the same on every try. */
export type Call = {
  /** Position in `then`. */
  readonly at: number;
  readonly attempts: number;
  /** JSON text that is sent, or given to the capability. */
  readonly body: string;
} & (
  | { readonly type: "post_webhook"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: CapabilityType }
);

/** On whose behalf a call is made. */
export interface Caller {
  readonly scope: Scope;
  readonly author: Author;
  readonly ruleId: Id;
  readonly runId: Id;
  /** The events that led here, the one that the rule runs for last. */
  readonly chain: readonly Uuid[];
}

/** What became of a try. `told` is shown with the action. */
export interface Tried {
  readonly state: "done" | "failed" | "retry";
  readonly told: Readonly<Record<string, unknown>>;
}

/** What another module lets rules do: plugged in by whoever wires the service. */
export interface Capability {
  /** What is wrong with such an action of a rule, at pointers below it; empty when nothing is. Templates are not filled in. */
  check(scope: Scope, action: Readonly<Record<string, unknown>>): Promise<readonly Violation[]>;
  /** Does it, with the author's rights. `key` is the same on every try of the same run, so that it can be done once. */
  run(caller: Caller, call: { readonly key: string; readonly action: string }): Promise<Tried>;
}

export type Capabilities = Partial<Readonly<Record<CapabilityType, Capability>>>;

export interface CallDeps {
  readonly net: Pick<Net, "post">;
  readonly capabilities: Capabilities;
}

const MAX_SHOWN = 200;

/** Makes one try. Throws nothing for what the other side does. */
export async function makeCall(deps: CallDeps, caller: Caller, call: Call): Promise<Tried> {
  const key = `${caller.runId}-${call.at}`;
  if (call.type === "post_webhook") return triedBy(await deps.net.post(requestOf(caller, call, key)));
  const capability = deps.capabilities[call.type];
  if (capability === undefined)
    return { state: "failed", told: { reason_code: "unavailable", reason: `${call.type} is not available.` } };
  return await capability.run(caller, { key, action: call.body });
}

function requestOf(
  { scope, ruleId, runId }: Caller,
  call: Extract<Call, { type: "post_webhook" }>,
  key: string,
): { url: string; headers: Record<string, string>; body: string } {
  return {
    url: call.url,
    body: call.body,
    headers: {
      ...call.headers,
      "Content-Type": "application/json",
      "User-Agent": `Junction/${VERSION}`,
      "X-Service-Rule": ruleId,
      "X-Service-Run": runId,
      "X-Service-Environment": scope.environment,
      "Idempotency-Key": key,
    },
  };
}

/** What may pass is tried again; what the receiver says for good is not. */
function triedBy({ status, errorClass, errorDetail, latency }: Exchange): Tried {
  const told = { response_status: status, latency_ms: latency.total };
  if (errorClass === null) return { state: "done", told };
  const reason = { reason_code: errorClass, reason: (errorDetail ?? errorClass).slice(0, MAX_SHOWN).toWellFormed() };
  const isFinal =
    errorClass === "target_refused" ||
    errorClass === "redirect" ||
    (errorClass === "http_status" && status !== null && status < 500 && status !== 408 && status !== 429);
  return { state: isFinal ? "failed" : "retry", told: { ...told, ...reason } };
}
