import { setTimeout as sleep } from "node:timers/promises";
import { createTaskSet, fromDate, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { openedResult } from "../requests/action-request.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import type { Parameters } from "../contracts/parameters.ts";
import { LEASE_SECONDS } from "./runs.store.ts";
import { requesterOf } from "./finish-run.ts";
import type { BegunCall, Settle } from "./finish-run.ts";
import type { BackendCall, CallOutcome } from "./backend-call.ts";

/** A call for this node to make. */
export interface Execution extends BegunCall {
  readonly contract: CurrentContract;
  readonly parameters: Parameters;
}

export interface ExecuteDeps extends Pick<ActionDeps, "clock" | "sealer" | "log"> {
  readonly settle: Settle;
  readonly backend: (contract: CurrentContract, call: BackendCall) => Promise<CallOutcome>;
}

export type Executor = ReturnType<typeof createExecutor>;

/** Waits before the second and the third attempt of a call that may be repeated. */
const RETRY_WAITS_MS = [250, 1000];
/** The part of the lease that is reserved for the work after the call. */
const MARGIN_MS = 10_000;

/** `leaseId` is the id of this process in leases. */
export function createExecutor(deps: ExecuteDeps, leaseId: Uuid) {
  // Errors are reported to the caller of `execute`.
  const tasks = createTaskSet(() => undefined);

  /** Calls the backend and records the outcome. Returns the answer, as `settle` does. */
  async function execute(execution: Execution): ReturnType<Settle> {
    const running = (async () => await deps.settle(execution, await call(deps, execution)))();
    tasks.add(running);
    return await running;
  }

  return {
    leaseId,
    execute,
    /** Starts the same in the background. */
    begin(execution: Execution): void {
      void execute(execution).catch((error: unknown) =>
        deps.log.error(
          { err: error, run_id: wireId("run", execution.scope.tag, execution.run.id) },
          "failed to write an action's result; its lease will expire",
        ),
      );
    },
    inFlight: (): number => tasks.size,
    /** Resolves when no call is running, or after the timeout. */
    idle: tasks.settled,
  };
}

/** Makes one call. It repeats the call only if the outcome allows this, and never beyond the lease. */
async function call(deps: ExecuteDeps, execution: Execution): Promise<CallOutcome> {
  const { contract } = execution;
  const untilMs = deps.clock.monotonicMs() + LEASE_SECONDS * 1000 - MARGIN_MS - contract.timeout_ms;
  const backendCall = backendCallOf(deps, execution);
  for (let tries = 0; ; tries += 1) {
    const outcome = await deps.backend(contract, backendCall);
    const waitMs = RETRY_WAITS_MS[tries];
    if (outcome.ok || !outcome.retryable || !contract.idempotent || waitMs === undefined) return outcome;
    if (deps.clock.monotonicMs() + waitMs > untilMs) return outcome;
    await sleep(waitMs);
  }
}

function backendCallOf({ sealer }: ExecuteDeps, execution: Execution): BackendCall {
  const { kind, scope, run, parameters } = execution;
  return {
    kind,
    scope,
    runId: wireId("run", scope.tag, run.id),
    tenant: run.tenant,
    proposalId: run.proposal_id === null ? null : wireId("prop", scope.tag, run.proposal_id),
    parameters,
    actor: requesterOf(execution),
    requestedAt: fromDate(run.started_at),
    ...(run.result_sealed === null ? {} : { result: openedResult(sealer, run.id, run.result_sealed) }),
  };
}
