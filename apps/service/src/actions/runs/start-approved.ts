import type { Tx } from "../../platform/db/db.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { answeredWith } from "../proposals/decide-proposal.ts";
import type { ApprovedProposal, Decision } from "../proposals/decide-proposal.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { openedParameters } from "../requests/action-request.ts";
import { replyOf } from "../requests/stored-response.ts";
import type { Executor } from "./execute.ts";
import { readRun, runOfProposal } from "./run-row.ts";
import { runText } from "./run-view.ts";
import { insertRuns } from "./runs.store.ts";

/** Creates the run, leased to this node. Its call begins when the approval is committed. */
export async function startApproved(
  { sealer, executor, baseUrl }: Pick<ActionDeps, "sealer" | "baseUrl"> & { readonly executor: Executor },
  tx: Tx,
  { scope, proposal, contract, approver, runId, request, now }: ApprovedProposal,
): Promise<Decision> {
  const reply = replyOf("approval", request);
  const { leaseId } = executor;
  const answers = contract.delivery === "async" ? null : { request, reply };
  const { requestId } = request;
  const row = runOfProposal(proposal, { id: runId, approver, now, leaseId, answers, requestId });
  await insertRuns(tx, [row]);
  const parameters = openedParameters(sealer, proposal.id, proposal.parameters_sealed);
  const run = readRun(row);
  const execution = { scope, kind: "execute", run, contract, parameters, proposal } as const;
  if (answers === null) {
    tx.onCommit(() => executor.begin({ ...execution, reply: null }));
    const text = proposalText({ scope, baseUrl }, proposal);
    return answeredWith(request, `${text.slice(0, -1)},"run":${runText({ scope, now }, run)}}`);
  }
  return { kind: "begun", go: async () => await executor.execute({ ...execution, reply }) };
}
