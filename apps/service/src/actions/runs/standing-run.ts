import type { Redactor } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Candidate, OverBudget, StandingUse } from "../standing-approvals/use.ts";
import { useStanding } from "../standing-approvals/use.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { entryOf } from "../requests/entries.ts";
import type { Executor } from "./execute.ts";
import { readRun, runRow } from "./run-row.ts";
import { proposalRow, readProposal, shownOf } from "../proposals/proposal-row.ts";
import { aiCallOf, writeAll } from "./start-run.ts";
import type { RecordedCall, StartedRun } from "./start-run.ts";
import { answerOf } from "../requests/stored-response.ts";
import { approved } from "../proposals/proposal-events.ts";
import { runText } from "./run-view.ts";

interface StandingDeps extends ActionDeps {
  readonly executor: Pick<Executor, "leaseId">;
}

/** A call that standing approvals may approve. */
interface StandingCall extends RecordedCall {
  readonly candidates: readonly Candidate[];
  /** Returns the records of a proposal that waits for people, and why if a budget had no room. */
  propose(redactor: Redactor, overBudget?: OverBudget): StartedRun;
}

/**
 * Begins a call in one transaction: the use of a budget, the approved proposal and its run, or else a proposal that waits
 * for people. Null: the key of this call already existed, and nothing was written or counted.
 */
export type BeginStanding = (call: StandingCall) => Promise<StartedRun | null>;

/** Calls of one budget wait for each other's transactions, so that more at once would only hold connections. */
const MAX_AT_ONCE = 4;

export function createBeginStanding(deps: StandingDeps): BeginStanding {
  const batcher = createShardBatcher<StandingCall, StartedRun | null>(deps.db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: 1,
    concurrency: MAX_AT_ONCE,
    run: async (calls) => await Promise.all(calls.map(async (call) => await begin(deps, call))),
  });
  return async (call) => await batcher.add(call);
}

async function begin(deps: StandingDeps, call: StandingCall): Promise<StartedRun | null> {
  const { scope, asked, request, work } = call;
  const redactor = await deps.audit.redactorOf(scope);
  return await deps.db.transaction(async (tx) => {
    const fresh = await deps.idempotency.claim(tx, [{ ref: request.ref, work, answer: null }]);
    if (!fresh.has(0)) return null;
    const { used, overBudget } = await useStanding(deps, tx, asked, call.candidates);
    const written = used === undefined ? call.propose(redactor, overBudget) : approvedRun(deps, call, used, redactor);
    const { answer } = written;
    if (answer !== null) await deps.idempotency.end(tx, [{ place: request.ref, work, answer }]);
    await writeAll(deps, tx, [{ scope, written }]);
    return written;
  });
}

/** Returns the records of a proposal that was approved at once, and of its run, leased to this node. */
function approvedRun(deps: StandingDeps, call: RecordedCall, used: StandingUse, redactor: Redactor): StartedRun {
  const { scope, asked, work: runId, request } = call;
  const { asker, contract, parameters, prompt } = asked;
  const { clock, sealer, executor } = deps;
  const now = clock.now();
  const id = deps.ids.uuid();
  const shown = shownOf(asked, redactor);
  const isAsync = contract.delivery === "async";
  const proposal = proposalRow(asked, {
    id,
    state: "executing",
    shown,
    now,
    sealer,
    runId,
    approvals: [used.approval],
    standingApprovalId: used.row.id,
  });
  const run = runRow(asked, {
    id: runId,
    proposalId: id,
    approver: used.actor,
    shown,
    now,
    sealer,
    leaseId: executor.leaseId,
    answers: isAsync ? null : { request, reply: call.reply },
    requestId: request.requestId,
  });
  const about = { proposalId: id, prompt, requestId: request.requestId };
  const by = { actor: used.actor, approver: used.actor, runId, result: used.facts };
  return {
    proposal,
    run,
    entries: [
      entryOf("proposal", contract, "proposed", { ...about, actor: asker.actor, parameters }),
      entryOf("proposal", contract, "approved", { ...about, ...by }),
    ],
    aiCall: { ...aiCallOf(asked, id, { shown, request, isProposal: true }), approvedBy: used.facts },
    events: approved(scope, readProposal(proposal), { approver: used.actor, comment: null, now }),
    answer: isAsync ? answerOf(call.reply, 202, runText({ scope, now }, readRun(run))) : null,
  };
}
