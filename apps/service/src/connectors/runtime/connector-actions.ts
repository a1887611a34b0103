import type { ActionHandler, HandlerCall, HandlerEnd } from "../../actions/actions.ts";
import { handledActions } from "../registry/connectors.ts";
import type { Pinned, Pins } from "../registry/connectors.ts";
import type { Json } from "../../lib/lib.ts";
import type { Calling, HookEnd } from "./invoke-hook.ts";
import type { Fixtures } from "./fixtures.ts";

export interface PerformingDeps {
  readonly pins: Pick<Pins, "current">;
  readonly calling: Pick<Calling, "callPinned">;
  readonly fixtures: Fixtures;
}

/**
 * Runs actions whose contracts have no backend. In the sandbox the code runs with the responses of the folder's
 * fixtures. A folder without fixtures runs nothing there, and the run is simulated.
 */
export function createPerforming({ pins, calling, fixtures }: PerformingDeps): ActionHandler {
  return async (call) => {
    const pin = await pins.current(call.scope, call.connector);
    if (pin.kind === "off") return refusal("The connector is no longer enabled. Nothing was done.");
    if (pin.kind === "quarantined") return refusal(`The connector was stopped. ${pin.message} Nothing was done.`);
    const { pinned } = pin;
    // The contract may be that of the live version, if the sandbox runs another one.
    if (!handledActions(pinned.version.actions).includes(call.name))
      return refusal(`Version ${pinned.version.version} of the connector does not have this action. Nothing was done.`);
    const isSandbox = call.scope.environment === "sandbox";
    if (isSandbox && (await fixtures(pinned.version)) === null) return { ok: true, value: null, simulated: true };
    const end = await calling.callPinned(pinned, handlerRequest(call, pinned));
    return end.ok ? { ok: true, value: end.value, simulated: isSandbox } : failure(end);
  };
}

function handlerRequest({ scope, tenant, name, parameters, run, deadlineMs }: HandlerCall, { key }: Pinned) {
  return {
    scope,
    key,
    hook: "action",
    name,
    args: [parameters as Json, { ...run } as Json],
    deadlineMs,
    event: null,
    cause: `action:${run.idempotency_key}`,
    chain: [],
    tenant,
  } as const;
}

function refusal(message: string): HandlerEnd {
  return { ok: false, message, timedOut: false, outcomeUnknown: false, passing: false };
}

function failure({ kind, message, unknown }: Exclude<HookEnd, { ok: true }>): HandlerEnd {
  return {
    ok: false,
    message:
      kind === "deadline" ? `The connector did not end in time (${message})` : `The connector failed: ${message}`,
    timedOut: kind === "deadline",
    outcomeUnknown: unknown,
    passing: kind === "start" || kind === "unavailable",
  };
}
