import { toDate } from "../../lib/lib.ts";
import type { Instant, Sealer, Uuid } from "../../lib/lib.ts";
import type { Actor } from "../callers/actor.ts";
import { sealedParameters } from "../requests/action-request.ts";
import type { ActionRequest, RequestContext } from "../requests/action-request.ts";
import type { ShownFacts } from "../proposals/proposal-row.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import type { Reply } from "../requests/stored-response.ts";
import { NOT_ENDED } from "./runs.store.ts";
import type { RunInsert, RunRow } from "./runs.store.ts";

export interface RunOfProposal {
  readonly id: Uuid;
  readonly approver: Actor | null;
  readonly now: Instant;
  /** Null: the run waits for a worker. */
  readonly leaseId: Uuid | null;
  /** Null if no request waits for an answer. */
  readonly answers: { readonly request: RequestContext; readonly reply: Reply } | null;
  readonly requestId: string | null;
}

export interface RunOf extends RunOfProposal {
  readonly proposalId: Uuid | null;
  readonly shown: Pick<ShownFacts, "parameters" | "prompt">;
  readonly sealer: Sealer;
}

export function runRow(asked: ActionRequest, run: RunOf): RunInsert {
  const { asker, contract } = asked;
  const { scope } = asker;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    workspace_id: scope.workspaceId,
    action: contract.key,
    contract_version: contract.version,
    proposal_id: run.proposalId,
    surface: asked.surface,
    actor: JSON.stringify(asker.actor),
    parameters_sealed: run.proposalId === null ? sealedParameters(run.sealer, run.id, asked.parameters) : null,
    parameters_redacted: run.shown.parameters,
    prompt: run.shown.prompt,
    chain: asker.chain.length === 0 ? null : [...asker.chain],
    tenant: asker.tenant,
    waiter: asked.waiter,
    ...startColumns(run),
  };
}

/** Returns the run of an approved proposal. */
export function runOfProposal(row: ProposalRow, run: RunOfProposal): RunInsert {
  const { bucket, tag, workspace_id, action, contract_version, surface, prompt, chain, tenant, waiter } = row;
  return {
    bucket,
    tag,
    workspace_id,
    action,
    contract_version,
    surface,
    prompt,
    chain,
    tenant,
    waiter,
    proposal_id: row.id,
    actor: row.proposer,
    parameters_sealed: null,
    parameters_redacted: row.parameters_redacted,
    ...startColumns(run),
  };
}

function startColumns(run: RunOfProposal) {
  return {
    id: run.id,
    status: run.leaseId === null ? "queued" : "executing",
    approver: run.approver === null ? null : JSON.stringify(run.approver),
    ...replyColumns(run.answers),
    request_id: run.requestId,
    lease_id: run.leaseId,
    started_at: toDate(run.now),
  } as const;
}

export function replyColumns(answers: RunOf["answers"]): Pick<RunInsert, "lineage_id" | "idempotency_key" | "reply"> {
  return {
    lineage_id: answers?.request.ref.lineageId ?? null,
    idempotency_key: answers?.request.ref.key ?? null,
    reply: answers === null ? null : JSON.stringify(answers.reply),
  };
}

/** Returns the row as it is read from the database during its call. */
export function readRun(row: RunInsert): RunRow {
  return { ...row, ...NOT_ENDED };
}
