import { spliced, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { moment, owned, toWireId } from "../wire/view-fields.ts";
import type { ProposalRow } from "./proposals.store.ts";

interface ShownProposal {
  readonly scope: Scope;
  readonly baseUrl: string;
}

/** Returns the JSON text of one proposal as the API shows it. */
export function proposalText({ scope, baseUrl }: ShownProposal, row: ProposalRow): string {
  const { tag } = scope;
  const head = {
    id: wireId("prop", tag, row.id),
    object: "proposal",
    action: row.action,
    contract_version: row.contract_version,
    state: row.state,
    surface: row.surface,
    params_hash: row.params_hash.toString("hex"),
    prompt: row.prompt,
    approver_roles: row.approver_roles,
    four_eyes: row.four_eyes,
    approvals_required: row.approvals_required,
    approvals: row.approvals,
    approve_url: urlFor({ scope, baseUrl }, row.id),
    run_id: toWireId("run", tag, row.run_id),
    supersedes: toWireId("prop", tag, row.supersedes),
    superseded_by: toWireId("prop", tag, row.superseded_by),
    standing_approval_id: toWireId("sap", tag, row.standing_approval_id),
    expires_at: moment(row.expires_at),
    ended_at: moment(row.ended_at),
    ...owned(scope, row.id),
  };
  return spliced(head, {
    proposer: row.proposer,
    edited_by: row.edited_by,
    workflow: row.workflow,
    preview: row.preview,
    parameters: row.parameters_redacted,
    decision: row.decision,
  });
}

/** Returns the URL for a caller: null for a customer, who cannot open the page. Such a caller reads no proposals under /v1. */
export function urlFor({ scope, baseUrl }: ShownProposal, id: Uuid): string | null {
  return (scope.tenant ?? null) === null ? approveUrl(baseUrl, scope.tag, id) : null;
}

/** Returns the URL of the page on which people decide. Opening the page changes nothing. */
export function approveUrl(baseUrl: string, tag: Tag, id: Uuid): string {
  return `${baseUrl}/approvals/${wireId("prop", tag, id)}`;
}
