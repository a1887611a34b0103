import { setTimeout as sleep } from "node:timers/promises";
import { createTaskSet, fromDate, parseJson, wireId } from "../../lib/lib.ts";
import type { Clock, Sealer, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Actor } from "../callers/actor.ts";
import { openedResult } from "../requests/action-request.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import type { Parameters } from "../contracts/parameters.ts";
import { LEASE_SECONDS } from "./runs.store.ts";
import type { BegunCall, CallEnd, Settler } from "./finish-run.ts";
import type { BackendCall, BackendOutcome } from "./backend-call.ts";

/** A call for this node to make. */
export interface Execution extends BegunCall {
  readonly contract: CurrentContract;
  readonly parameters: Parameters;
}

export interface ExecuteDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly settler: Settler;
  readonly backend: (contract: CurrentContract, call: BackendCall) => Promise<BackendOutcome>;
}

export interface Executor {
  /** The id of this process in leases. */
  readonly leaseId: Uuid;
  /** Calls the backend and records the outcome. Returns the answer, as the settler does. */
  execute(execution: Execution): ReturnType<Settler["settle"]>;
  /** Starts the same in the background. */
  begin(execution: Execution): void;
  inFlight(): number;
  /** Resolves when no call is running, or after the timeout. */
  idle(timeoutMs: number): Promise<void>;
}

/** Waits before the second and the third attempt of a call that may be repeated. */
const RETRY_WAITS_MS = [250, 1000];
/** The part of the lease that is reserved for the work after the call. */
const MARGIN_MS = 10_000;

export function createExecutor(deps: ExecuteDeps & { readonly leaseId: Uuid }): Executor {
  // Errors are reported to the caller of `execute`.
  const tasks = createTaskSet(() => undefined);

  async function execute(execution: Execution): ReturnType<Settler["settle"]> {
    const running = (async () => {
      const end = endOf(await call(deps, execution));
      return await deps.settler.settle({ ...execution, end });
    })();
    tasks.add(running);
    return await running;
  }

  return {
    leaseId: deps.leaseId,
    execute,
    begin(execution) {
      void execute(execution).catch((error: unknown) =>
        deps.log.error(
          { err: error, run_id: wireId("run", execution.scope.tag, execution.run.id) },
          "failed to write an action's result; its lease will expire",
        ),
      );
    },
    inFlight: () => tasks.size,
    idle: tasks.settled,
  };
}

/** Makes one call. It repeats the call only if the outcome allows this, and never beyond the lease. */
async function call(deps: ExecuteDeps, execution: Execution): Promise<BackendOutcome> {
  const { contract } = execution;
  const untilMs = deps.clock.monotonicMs() + LEASE_SECONDS * 1000 - MARGIN_MS - contract.timeout_ms;
  const made = callOf(deps, execution);
  for (let tries = 0; ; tries += 1) {
    const outcome = await deps.backend(contract, made);
    const waitMs = RETRY_WAITS_MS[tries];
    if (outcome.ok || !outcome.retryable || !contract.idempotent || waitMs === undefined) return outcome;
    if (deps.clock.monotonicMs() + waitMs > untilMs) return outcome;
    await sleep(waitMs);
  }
}

function callOf({ sealer }: ExecuteDeps, { kind, scope, run, parameters }: Execution): BackendCall {
  return {
    kind,
    scope,
    runId: wireId("run", scope.tag, run.id),
    tenant: run.tenant,
    proposalId: run.proposal_id === null ? null : wireId("prop", scope.tag, run.proposal_id),
    parameters,
    actor: parseJson((kind === "undo" ? run.undo_actor : null) ?? run.actor) as Actor,
    requestedAt: fromDate(run.started_at),
    ...(run.result_sealed === null ? {} : { result: openedResult(sealer, run.id, run.result_sealed) }),
  };
}

function endOf(outcome: BackendOutcome): CallEnd {
  const { status, host, durationMs } = outcome;
  const common = { status, host, durationMs: Math.round(durationMs) };
  if (outcome.ok) {
    const { simulated, result } = outcome;
    return { ...common, ok: true, simulated, result, errorCode: null, detail: null, outcomeUnknown: false, extra: {} };
  }
  const { errorCode, detail, extra, outcomeUnknown } = outcome;
  return { ...common, ok: false, simulated: false, result: null, errorCode, detail, outcomeUnknown, extra };
}

/** The end of a call whose outcome is unknown. */
export const UNKNOWN: CallEnd = {
  ok: false,
  simulated: false,
  result: null,
  errorCode: "outcome_unknown",
  detail:
    "The service stopped during the call. Before you run the action again, check with the backend what happened to the run.",
  outcomeUnknown: true,
  extra: {},
  status: null,
  host: null,
  durationMs: null,
};

/** The end of a call that was not made. */
export function unmade(errorCode: string, detail: string): CallEnd {
  return { ...UNKNOWN, errorCode, detail, outcomeUnknown: false };
}
