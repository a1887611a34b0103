import { createLoop, parseJson, resultOf, toDate, wireId } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { openedParameters } from "../requests/action-request.ts";
import { contractOfRun, contractToRun } from "../contracts/operator-contracts.ts";
import { contractOfProposal, publishExpired } from "../proposals/decide-proposal.ts";
import { failedCall } from "./backend-call.ts";
import type { CallOutcome } from "./backend-call.ts";
import type { Execution, Executor } from "./execute.ts";
import { expireDue, expiredBuckets, findProposal } from "../proposals/proposals.store.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import type { Reply } from "../requests/stored-response.ts";
import { claimRuns, dueBuckets } from "./runs.store.ts";
import type { ClaimedRun } from "./runs.store.ts";
import type { Settle } from "./finish-run.ts";

export interface ActionWorkerDeps extends ActionDeps {
  readonly executor: Executor;
  readonly settle: Settle;
}

/** The pause when nothing wakes the worker. It is also the maximum delay after which an expired proposal is noticed. */
const IDLE_MS = 2_000;
const MIN_PAUSE_MS = 20;
const AFTER_ERROR_MS = 1000;
const CLAIM = 50;
const EXPIRE = 100;
/** The maximum number of attempts of a repeatable call whose node was lost. */
const MAX_ATTEMPTS = 3;

const UNKNOWN = failedCall(
  "outcome_unknown",
  "The service stopped during the call. Before you run the action again, check with the backend what happened to the run.",
  { outcomeUnknown: true },
);
const CONTRACT_CHANGED = failedCall(
  "contract_changed",
  "The contract was changed or deleted before the call was made.",
);
const PARAMETERS_UNREADABLE = failedCall(
  "parameters_unreadable",
  "The parameters of the run were deleted or cannot be decrypted, so the call was not made.",
);

/** Claims waiting runs and runs whose node was lost, and ends proposals without a decision in time. */
export function createActionWorker(deps: ActionWorkerDeps) {
  const loop = createLoop({
    async round() {
      const pauseMs = await takeUp(deps);
      await sweep(deps);
      return pauseMs;
    },
    failed(error) {
      deps.log.warn({ err: error }, "failed to claim action runs; retrying");
      return AFTER_ERROR_MS;
    },
  });
  /** `sweep` ends the proposals whose time limit has passed, and returns their number. */
  return { ...loop, sweep: async () => await sweep(deps) };
}

/** Returns the time until more work is due. */
async function takeUp(deps: ActionWorkerDeps): Promise<number> {
  const heads = await dueBuckets(deps.db);
  let claimed = 0;
  for (const { bucket, due_in_ms: dueInMs } of heads) {
    if (dueInMs > 0) continue;
    // Each claim has its own lease id, so that a call whose lease has expired cannot end a run that was claimed again.
    const leaseId = deps.ids.uuid();
    const runs = await deps.db.at(bucket, async () => await claimRuns(deps.db, bucket, leaseId, CLAIM));
    claimed += runs.length;
    for (const run of runs) {
      void deps.db
        .at(bucket, async () => await goOn(deps, run))
        .catch((error: unknown) =>
          deps.log.error(
            { err: error, run_id: wireId("run", run.tag, run.id) },
            "action run failed to process; its lease will expire",
          ),
        );
    }
  }
  if (claimed > 0) return MIN_PAUSE_MS;
  const nextMs = heads.reduce((least, { due_in_ms: ms }) => (ms > 0 ? Math.min(least, ms) : least), IDLE_MS);
  return Math.max(MIN_PAUSE_MS, nextMs);
}

/** Repeats a call that was interrupted by the loss of its node only if the contract declares this safe. */
async function goOn(deps: ActionWorkerDeps, run: ClaimedRun): Promise<void> {
  const { contract, parameters, ...begun } = await readWork(deps, run);
  if (contract === undefined || parameters instanceof Error) {
    // It would be claimed again forever.
    const lost = contract === undefined ? CONTRACT_CHANGED : PARAMETERS_UNREADABLE;
    const end = run.is_fresh ? lost : UNKNOWN;
    deps.log.error({ run_id: wireId("run", run.tag, run.id), code: end.errorCode }, "action run cannot be continued");
    const recorded = contract ?? { ...contractOfProposal(run), audit: true, reversible: false, undo: null };
    await deps.settle({ ...begun, contract: recorded, parameters: {} }, end);
    return;
  }
  const execution = { ...begun, contract, parameters };
  const end = await blockerOf(deps, run, execution);
  if (end === undefined) await deps.executor.execute(execution);
  else await deps.settle(execution, end);
}

async function blockerOf(
  { db }: ActionWorkerDeps,
  run: ClaimedRun,
  { scope, contract }: Execution,
): Promise<CallOutcome | undefined> {
  if (!run.is_fresh) return contract.idempotent && run.attempts <= MAX_ATTEMPTS ? undefined : UNKNOWN;
  const current = await contractToRun(db, { ...scope, key: run.action });
  if (current?.version === run.contract_version) return undefined;
  return CONTRACT_CHANGED;
}

async function readWork({ db, sealer }: ActionWorkerDeps, run: ClaimedRun) {
  const { proposal_id: proposalId } = run;
  const scope = scopeOf(run.workspace_id, run.tag);
  const contract = await contractOfRun(db, { ...scope, key: run.action }, run.contract_version);
  const sealed = run.parameters_sealed ?? run.proposal_parameters_sealed;
  const proposal = proposalId === null ? undefined : await findProposal(db.query, { ...scope, id: proposalId });
  return {
    scope,
    kind: run.status === "executed" ? ("undo" as const) : ("execute" as const),
    run,
    contract,
    parameters:
      sealed === null
        ? new Error("the parameters were deleted")
        : resultOf(() => openedParameters(sealer, proposalId ?? run.id, sealed)),
    reply: run.reply === null ? null : (parseJson(run.reply) as Reply),
    proposal: proposal ?? null,
  };
}

async function sweep(deps: ActionWorkerDeps): Promise<number> {
  const now = toDate(deps.clock.now());
  let ended = 0;
  for (const bucket of await expiredBuckets(deps.db, now)) {
    for (let more = true; more;) {
      const rows = await deps.db.at(bucket, async () => await expireSome(deps, bucket, now));
      ended += rows.length;
      more = rows.length === EXPIRE;
    }
  }
  return ended;
}

async function expireSome(deps: ActionWorkerDeps, bucket: number, now: Date): Promise<readonly ProposalRow[]> {
  return await deps.db.transaction(async (tx) => {
    const due = await expireDue(tx, bucket, now, EXPIRE);
    const expired = due.map((row) => ({ row, scope: scopeOf(row.workspace_id, row.tag) }));
    await publishExpired(deps, tx, expired);
    return due;
  });
}
