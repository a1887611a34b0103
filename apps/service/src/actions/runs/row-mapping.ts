import type { Redactor } from "../../audit/audit.ts";
import { after, parseJson, toDate } from "../../lib/lib.ts";
import type { Instant, Sealer, Uuid } from "../../lib/lib.ts";
import type { Actor } from "../callers/actor.ts";
import { sealedParameters } from "./action-request.ts";
import type { ActionRequest, Request } from "./action-request.ts";
import type { Contract } from "../contracts/contract.ts";
import { sensitiveOf } from "./entries.ts";
import { previewOf } from "../proposals/preview.ts";
import type { Preview } from "../proposals/preview.ts";
import { paramsHash } from "../proposals/proposal.ts";
import type { ProposalState } from "../proposals/proposal.ts";
import type { ProposalInsert, ProposalRow } from "../proposals/proposals.store.ts";
import type { Reply } from "./stored-response.ts";
import type { RunInsert, RunRow } from "./runs.store.ts";

/** The redacted parameters and prompt of a call, as every reader sees them. */
export interface Shown {
  /** The JSON text. */
  readonly parameters: string;
  readonly preview: Preview;
  readonly prompt: string | null;
}

export function shownOf(
  { asker, contract, parameters, prompt }: Omit<ActionRequest, "surface" | "waiter" | "workflow">,
  redactor: Redactor,
): Shown {
  const redacted = redactor.value(parameters, { sensitive: sensitiveOf(contract) });
  return {
    parameters: JSON.stringify(redacted),
    preview: previewOf(contract, {
      shown: redacted as Readonly<Record<string, unknown>>,
      environment: asker.scope.environment,
    }),
    prompt: prompt === null ? null : redactor.text(prompt),
  };
}

export interface ProposalOf {
  readonly id: Uuid;
  readonly state: ProposalState;
  readonly shown: Shown;
  readonly now: Instant;
  readonly sealer: Sealer;
  readonly runId?: Uuid;
  /** The approval of a call that confirms itself, or that a standing approval covers. */
  readonly approvals?: readonly object[];
  /** The standing approval that approves it. */
  readonly standingApprovalId?: Uuid;
}

export function proposalRow(asked: ActionRequest, proposal: ProposalOf): ProposalInsert {
  const { asker, contract, parameters } = asked;
  const { scope, author } = asker;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id: proposal.id,
    workspace_id: scope.workspaceId,
    state: proposal.state,
    surface: asked.surface,
    ...contractColumns(contract, proposal.now),
    proposer: JSON.stringify(asker.actor),
    proposer_key_id: asker.keyId,
    proposer_author_kind: author?.kind ?? null,
    proposer_author_id: author?.id ?? null,
    involved: [...new Set([...asker.people, ...(asker.causes ?? [])])],
    parameters_sealed: sealedParameters(proposal.sealer, proposal.id, parameters),
    parameters_redacted: proposal.shown.parameters,
    params_hash: paramsHash({ action: contract.key, version: contract.version, parameters }),
    prompt: proposal.shown.prompt,
    preview: JSON.stringify(proposal.shown.preview),
    approver_ids: [],
    approvals: JSON.stringify(proposal.approvals ?? []),
    chain: asker.chain.length === 0 ? null : [...asker.chain],
    tenant: asker.tenant,
    waiter: asked.waiter,
    workflow: asked.workflow,
    run_id: proposal.runId ?? null,
    supersedes: null,
    edited_by: null,
    standing_approval_id: proposal.standingApprovalId ?? null,
  };
}

/** Returns the columns that a proposal copies from its contract: its approvers and its time limit. */
export function contractColumns(
  { key, version, approval }: Pick<Contract, "key" | "version" | "approval">,
  now: Instant,
): Pick<
  ProposalInsert,
  "action" | "contract_version" | "approver_roles" | "four_eyes" | "approvals_required" | "expires_at"
> {
  return {
    action: key,
    contract_version: version,
    approver_roles: [...approval.approverRoles],
    four_eyes: approval.fourEyes,
    approvals_required: approval.required,
    expires_at: toDate(after(now, approval.expiresInSeconds * 1000)),
  };
}

/** Returns the row as it is read from the database. */
export function readProposal(row: ProposalInsert): ProposalRow {
  const approvals = parseJson(row.approvals) as ProposalRow["approvals"];
  return { ...row, approvals, decision: null, superseded_by: null, ended_at: null };
}

export interface RunOf {
  readonly id: Uuid;
  readonly proposalId: Uuid | null;
  readonly approver: Actor | null;
  readonly shown: Pick<Shown, "parameters" | "prompt">;
  readonly now: Instant;
  readonly sealer: Sealer;
  /** Null: the run waits for a worker. */
  readonly leaseId: Uuid | null;
  /** Null if no request waits for an answer. */
  readonly answers: { readonly request: Request; readonly reply: Reply } | null;
  readonly requestId: string | null;
}

export function runRow(asked: ActionRequest, run: RunOf): RunInsert {
  const { asker, contract } = asked;
  const { scope } = asker;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id: run.id,
    workspace_id: scope.workspaceId,
    action: contract.key,
    contract_version: contract.version,
    proposal_id: run.proposalId,
    status: run.leaseId === null ? "queued" : "executing",
    surface: asked.surface,
    actor: JSON.stringify(asker.actor),
    approver: run.approver === null ? null : JSON.stringify(run.approver),
    parameters_sealed: run.proposalId === null ? sealedParameters(run.sealer, run.id, asked.parameters) : null,
    parameters_redacted: run.shown.parameters,
    prompt: run.shown.prompt,
    chain: asker.chain.length === 0 ? null : [...asker.chain],
    tenant: asker.tenant,
    waiter: asked.waiter,
    ...replyColumns(run.answers),
    request_id: run.requestId,
    lease_id: run.leaseId,
    started_at: toDate(run.now),
  };
}

/** Returns the run of an approved proposal. */
export function runOfProposal(
  row: ProposalRow,
  run: Pick<RunOf, "id" | "approver" | "now" | "leaseId" | "answers" | "requestId">,
): RunInsert {
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
    id: run.id,
    proposal_id: row.id,
    status: run.leaseId === null ? "queued" : "executing",
    actor: row.proposer,
    approver: run.approver === null ? null : JSON.stringify(run.approver),
    parameters_sealed: null,
    parameters_redacted: row.parameters_redacted,
    ...replyColumns(run.answers),
    request_id: run.requestId,
    lease_id: run.leaseId,
    started_at: toDate(run.now),
  };
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
  return {
    ...row,
    simulated: false,
    result_redacted: null,
    result_sealed: null,
    outcome_unknown: false,
    error_code: null,
    error_detail: null,
    backend_status: null,
    backend_host: null,
    duration_ms: null,
    audit_id: null,
    attempts: 1,
    due_at: null,
    undo_until: null,
    undo_actor: null,
    undone_at: null,
    ended_at: null,
  };
}
