import type { Redactor } from "../../audit/audit.ts";
import { after, parseJson, toDate } from "../../lib/lib.ts";
import type { Instant, Sealer, Uuid } from "../../lib/lib.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { sealedParameters } from "../requests/action-request.ts";
import type { ActionRequest } from "../requests/action-request.ts";
import type { Contract } from "../contracts/contract.ts";
import { sensitiveOf } from "../requests/entries.ts";
import { previewOf } from "./preview.ts";
import type { Preview, ProposalState } from "./proposals.schemas.ts";
import { paramsHash } from "./proposal.ts";
import type { ProposalInsert, ProposalRow } from "./proposals.store.ts";

/** The redacted parameters and prompt of a call, as every reader sees them. */
export interface ShownFacts {
  /** The JSON text. */
  readonly parameters: string;
  readonly preview: Preview;
  readonly prompt: string | null;
}

export function shownOf(
  { asker, contract, parameters, prompt }: Omit<ActionRequest, "surface" | "waiter" | "workflow">,
  redactor: Redactor,
): ShownFacts {
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
  readonly shown: ShownFacts;
  readonly now: Instant;
  readonly sealer: Sealer;
  readonly runId?: Uuid;
  /** The approval of a call that confirms itself, or that a standing approval covers. */
  readonly approvals?: readonly object[];
  /** The standing approval that approves it. */
  readonly standingApprovalId?: Uuid;
}

/** The columns of a proposal without a decision or an edit. */
export const UNDECIDED = {
  state: "proposed",
  approver_ids: [],
  approvals: "[]",
  run_id: null,
  supersedes: null,
  edited_by: null,
  standing_approval_id: null,
} satisfies Partial<ProposalInsert>;

/** Returns the columns that say who proposes. */
export function proposerColumns({ scope, actor, keyId, author }: ActionCaller) {
  return {
    workspace_id: scope.workspaceId,
    proposer: JSON.stringify(actor),
    proposer_key_id: keyId,
    proposer_author_kind: author?.kind ?? null,
    proposer_author_id: author?.id ?? null,
  };
}

export function proposalRow(asked: ActionRequest, proposal: ProposalOf): ProposalInsert {
  const { asker, contract, parameters } = asked;
  const { scope } = asker;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id: proposal.id,
    ...UNDECIDED,
    state: proposal.state,
    surface: asked.surface,
    ...contractColumns(contract, proposal.now),
    ...proposerColumns(asker),
    involved: [...new Set([...asker.people, ...(asker.causes ?? [])])],
    parameters_sealed: sealedParameters(proposal.sealer, proposal.id, parameters),
    parameters_redacted: proposal.shown.parameters,
    params_hash: paramsHash({ action: contract.key, version: contract.version, parameters }),
    prompt: proposal.shown.prompt,
    preview: JSON.stringify(proposal.shown.preview),
    approvals: JSON.stringify(proposal.approvals ?? []),
    chain: asker.chain.length === 0 ? null : [...asker.chain],
    tenant: asker.tenant,
    waiter: asked.waiter,
    workflow: asked.workflow,
    run_id: proposal.runId ?? null,
    standing_approval_id: proposal.standingApprovalId ?? null,
  };
}

/** Returns the columns that a proposal copies from its contract: its approvers and its time limit. */
export function contractColumns(
  { key, version, approval }: Pick<Contract, "key" | "version" | "approval">,
  now: Instant,
) {
  return {
    action: key,
    contract_version: version,
    approver_roles: [...approval.approver_roles],
    four_eyes: approval.four_eyes,
    approvals_required: approval.required,
    expires_at: toDate(after(now, approval.expires_in_seconds * 1000)),
  };
}

/** Returns the row as it is read from the database. */
export function readProposal(row: ProposalInsert): ProposalRow {
  const approvals = parseJson(row.approvals) as ProposalRow["approvals"];
  return { ...row, approvals, decision: null, superseded_by: null, ended_at: null };
}
