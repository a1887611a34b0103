import { fromDate, toRfc3339, uuidTime, wireId } from "../lib/lib.ts";
import type { IdPrefix, Instant, Tag, Uuid } from "../lib/lib.ts";
import { scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { ProposalRow } from "./proposals/proposals.store.ts";
import type { RunRow } from "./runs/runs.store.ts";

interface ShownRun {
  readonly scope: Scope;
  readonly now: Instant;
}

/**
 * Returns the JSON text of one run as the API shows it. `result` is the unredacted result for the caller of the run.
 * Later readers see the redacted one.
 */
export function runText({ scope, now }: ShownRun, run: RunRow, result?: string | null): string {
  const { tag } = scope;
  const head = {
    id: wireId("run", tag, run.id),
    object: "run",
    action: run.action,
    contract_version: run.contract_version,
    status: run.status,
    surface: run.surface,
    proposal_id: toWireId("prop", tag, run.proposal_id),
    audit_id: toWireId("aud", tag, run.audit_id),
    simulated: run.simulated,
    reversible: isReversible(run, now),
    undo_until: moment(run.undo_until),
    undone_at: run.status === "undone" ? moment(run.undone_at) : null,
    error: errorOf(run),
    backend: run.backend_host === null ? null : { host: run.backend_host, status: run.backend_status },
    duration_ms: run.duration_ms,
    started_at: moment(run.started_at),
    ended_at: moment(run.ended_at),
    prompt: run.prompt,
    ...owned(scope, run.id),
  };
  return spliced(head, {
    actor: run.actor,
    approver: run.approver,
    undone_by: run.undo_actor,
    parameters: run.parameters_redacted,
    result: result === undefined ? run.result_redacted : result,
  });
}

function isReversible({ undo_until: until, status, undo_actor: undoer }: RunRow, now: Instant): boolean {
  return until !== null && fromDate(until) > now && status === "executed" && undoer === null;
}

function errorOf({ error_code: code, error_detail: detail, outcome_unknown }: RunRow): object | null {
  return code === null ? null : { code, detail, outcome_unknown };
}

export interface ShownProposal {
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
    approve_url: approveUrl(baseUrl, tag, row.id),
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

/** Returns the URL of the page on which people decide. Opening the page changes nothing. */
export function approveUrl(baseUrl: string, tag: Tag, id: Uuid): string {
  return `${baseUrl}/approvals/${wireId("prop", tag, id)}`;
}

/** Returns the JSON text of an object, with members that are JSON text already. */
export function spliced(head: object, texts: Readonly<Record<string, string | null>>): string {
  const members = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text ?? "null"}`);
  return `${JSON.stringify(head).slice(0, -1)}${members.join("")}}`;
}

function toWireId(prefix: IdPrefix, tag: Tag, id: Uuid | null): string | null {
  return id === null ? null : wireId(prefix, tag, id);
}

export function moment(at: Date | null): string | null {
  return at === null ? null : toRfc3339(fromDate(at));
}

function owned(scope: Scope, id: Uuid): object {
  return { ...scopeFields(scope), created_at: toRfc3339(uuidTime(id)) };
}
