import type { Clock, Json } from "../../lib/lib.ts";
import { parseJson, scanJson } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { readResult } from "./backend-answer.ts";
import { HANDLED, UNDO } from "../contracts/connector-contracts.ts";
import type { Contract } from "../contracts/contract.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { failedCall } from "./backend-call.ts";
import type { BackendCall, CallOutcome } from "./backend-call.ts";

/** One call of a connector's code for a run. */
export interface HandlerCall {
  readonly scope: Scope;
  /** The tenant whose event led to the run. */
  readonly tenant: string | null;
  readonly connector: string;
  /** The action's key, with `:undo` for an undo. */
  readonly name: string;
  readonly parameters: BackendCall["parameters"];
  /** The run as the code sees it. `result` is the result to undo. */
  readonly run: {
    readonly id: string;
    readonly idempotency_key: string;
    readonly dry_run: false;
    readonly result?: Json;
  };
  readonly deadlineMs: number;
}

export type HandlerEnd =
  /** `simulated`: the code called fixtures, or nothing ran. */
  | { readonly ok: true; readonly value: Json; readonly simulated: boolean }
  | {
      readonly ok: false;
      readonly message: string;
      readonly timedOut: boolean;
      /** The code may have performed the action. */
      readonly outcomeUnknown: boolean;
      /** Nothing ran, and a later call may succeed. */
      readonly passing: boolean;
    };

/** Runs connectors' code. No error of that code makes it throw. */
export type ActionHandler = (call: HandlerCall) => Promise<HandlerEnd>;

/**
 * Returns true if a connector performs the call. In the sandbox, a sandbox endpoint of the contract takes precedence.
 */
export function isHandled(contract: Contract, { kind, scope }: Pick<BackendCall, "kind" | "scope">): boolean {
  const url = kind === "execute" ? contract.endpoint : contract.undo?.endpoint;
  const isElsewhere = scope.environment === "sandbox" && contract.sandbox_endpoint !== null;
  return contract.connectorKey !== null && url?.startsWith(HANDLED) === true && !isElsewhere;
}

export async function callHandler(
  { handler, clock }: { readonly handler: ActionHandler; readonly clock: Clock },
  contract: CurrentContract,
  call: BackendCall,
): Promise<CallOutcome> {
  const connector = contract.connectorKey ?? "";
  const startedMs = clock.monotonicMs();
  const end = await handler({
    scope: call.scope,
    tenant: call.tenant,
    connector,
    name: call.kind === "execute" ? contract.key : contract.key + UNDO,
    parameters: call.parameters,
    run: runOf(call),
    deadlineMs: contract.timeout_ms,
  });
  const facts = { status: null, host: connector, durationMs: Math.round(clock.monotonicMs() - startedMs) };
  if (!end.ok) {
    const { message, timedOut, outcomeUnknown, passing } = end;
    const retryable = passing || (outcomeUnknown && contract.idempotent);
    const code = timedOut ? "action_endpoint_timeout" : "action_endpoint_failed";
    return failedCall(code, message, { ...facts, outcomeUnknown, retryable });
  }
  const outcome = readResult(scanJson(Buffer.from(JSON.stringify(end.value))), contract.response);
  return { ...outcome, ...facts, simulated: outcome.ok && end.simulated, retryable: false };
}

function runOf({ kind, runId, result }: BackendCall): HandlerCall["run"] {
  const delivery = kind === "execute" ? runId : `${runId}-undo`;
  const run = { id: runId, idempotency_key: `idk_${delivery.slice("run_".length)}`, dry_run: false } as const;
  return result === undefined ? run : { ...run, result: parseJson(result) as Json };
}
