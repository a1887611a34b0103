import type { Redactor } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Candidate, CountedUseDeps, OverBudget, StandingUse } from "../standing-approvals/use.ts";
import { useStanding } from "../standing-approvals/use.ts";
import { entryOf } from "../requests/entries.ts";
import type { Executor } from "./execute.ts";
import { readRun, runRow } from "./run-row.ts";
import { proposalRow, readProposal, shownOf } from "../proposals/proposal-row.ts";
import { aiCallOf, writeAll } from "./start-run.ts";
import type { BeginDeps, RecordedCall, StartedRun } from "./start-run.ts";
import { answerOf } from "../requests/stored-response.ts";
import { approved } from "../proposals/proposal-events.ts";
import { runText } from "./run-view.ts";
import type { Idempotency } from "../../access/access.ts";

export interface StandingRunDeps extends CountedUseDeps, Pick<BeginDeps, "events"> {
  readonly audit: BeginDeps["audit"];
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly idempotency: Pick<Idempotency, "claim" | "end">;
  readonly executor: Pick<Executor, "leaseId">;
}

/** A call that standing approvals may approve. */
export interface StandingCall extends RecordedCall {
  readonly candidates: readonly Candidate[];
  /** Returns the records of a proposal that waits for people, and why if a budget had no room. */
  propose(redactor: Redactor, overBudget?: OverBudget): StartedRun;
}

export interface StandingBeginner {
  /**
   * Begins a call in one transaction: the use of a budget, the approved proposal and its run, or else a proposal that waits for
   * people. Null: the key of this call already existed, and nothing was written or counted.
   */
  begin(call: StandingCall): Promise<StartedRun | null>;
}

/** Calls of one budget wait for each other's transactions, so that more at once would only hold connections. */
const MAX_AT_ONCE = 4;

export function createStandingBeginner(deps: StandingRunDeps): StandingBeginner {
  const batcher = createShardBatcher<StandingCall, StartedRun | null>(deps.db, {
    bucketOf: ({ asked }) => asked.asker.scope.bucket,
    maxSize: 1,
    concurrency: MAX_AT_ONCE,
    run: async (calls) => await Promise.all(calls.map(async (call) => await begin(deps, call))),
  });
  return { begin: async (call) => await batcher.add(call) };
}

async function begin(deps: StandingRunDeps, call: StandingCall): Promise<StartedRun | null> {
  const { asked, request, work } = call;
  const redactor = await deps.audit.redactorOf(asked.asker.scope);
  return await deps.db.transaction(async (tx) => {
    const fresh = await deps.idempotency.claim(tx, [{ ref: request.ref, work, answer: null }]);
    if (!fresh.has(0)) return null;
    return await writeDecided(deps, tx, { ...call, redactor });
  });
}

async function writeDecided(
  deps: StandingRunDeps,
  tx: Tx,
  call: StandingCall & { readonly redactor: Redactor },
): Promise<StartedRun> {
  const { asked, request, work } = call;
  const { used, overBudget } = await useStanding(deps, tx, asked, call.candidates);
  const written = used === undefined ? call.propose(call.redactor, overBudget) : approvedRun(deps, { ...call, used });
  const { answer } = written;
  if (answer !== null) await deps.idempotency.end(tx, [{ place: request.ref, work, answer }]);
  await writeAll(deps, tx, [{ scope: asked.asker.scope, written }]);
  return written;
}

interface Approved extends StandingCall {
  readonly used: StandingUse;
  readonly redactor: Redactor;
}

/** Returns the records of a proposal that was approved at once, and of its run, leased to this node. */
function approvedRun(deps: StandingRunDeps, call: Approved): StartedRun {
  const { asked, work: runId, used, request, redactor } = call;
  const { asker, contract, parameters, prompt } = asked;
  const { scope } = asker;
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
