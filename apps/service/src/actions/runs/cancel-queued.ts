import type { Tx } from "../../platform/db/db.ts";
import { parseId, parseJson, toDate } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import { contractOfRun } from "../contracts/operator-contracts.ts";
import { contractOfProposal } from "../proposals/decide-proposal.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import { entryOf } from "../requests/entries.ts";
import { dropQueued, linkAudit } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { failed } from "./run-events.ts";

/** Ends the queued runs of a waiter that no longer waits for them, with the records of every other failed run. */
export async function cancelQueued(
  deps: ActionDeps,
  tx: Tx,
  scope: Scope,
  { waiter, now }: { readonly waiter: string; readonly now: Instant },
): Promise<void> {
  const runs: RunRow[] = [];
  for (const run of await dropQueued(tx, scope, { waiter, now: toDate(now) }))
    runs.push({ ...run, audit_id: await recorded(deps, tx, scope, run) });
  const events = runs.map((run) => failed(scope, run, now));
  await deps.events.fireWithin(tx, events);
  tx.onCommit(() => {
    for (const { tag, status } of runs) deps.signals.actionEnded(tag, status, 0);
  });
}

/** Records the end in the audit and in the AI history. The parameters are left out, because the run can be a person's. */
async function recorded(deps: ActionDeps, tx: Tx, scope: Scope, run: RunRow): Promise<RunRow["audit_id"]> {
  const { action, proposal_id: proposalId, id: runId, error_code: errorCode, status } = run;
  keepOutcome(deps.audit, tx, {
    scope,
    actor: run.actor,
    surface: run.surface,
    outcome: () => ({ action, proposalId, runId, status, errorCode }),
  });
  const contract = await contractOfRun(tx, { ...scope, key: action }, run.contract_version);
  if (contract?.audit === false) return null;
  const entry = entryOf("run", contract ?? contractOfProposal(run), status, {
    actor: parseJson(run.actor) as Actor,
    approver: run.approver === null ? null : (parseJson(run.approver) as Actor),
    proposalId,
    runId,
    errorCode,
    requestId: run.request_id,
  });
  const auditId = parseId(deps.audit.record(tx, scope, entry))?.uuid ?? null;
  if (auditId !== null) await linkAudit(tx, { ...scope, id: runId }, auditId);
  return auditId;
}
