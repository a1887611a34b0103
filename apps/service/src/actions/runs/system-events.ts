import type { EventDraft } from "../../events/events.ts";
import { parseJson, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Id, Instant, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import type { Preview } from "../proposals/preview.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import type { RunRow } from "./runs.store.ts";
import { approveUrl } from "../proposals/proposal-view.ts";
import { moment } from "../wire/view-fields.ts";

/**
 * The events about actions (events/catalogue). They contain no parameter, prompt or result, which receivers read from
 * the run. The fields of an approval step are what its author wrote for approvers.
 */

type ReportedRun = Pick<
  ProposalRow,
  | "id"
  | "action"
  | "proposer"
  | "surface"
  | "preview"
  | "approver_roles"
  | "expires_at"
  | "chain"
  | "tenant"
  | "params_hash"
  | "workflow"
  | "contract_version"
>;

export function proposed(scope: Scope, row: ReportedRun, baseUrl: string): EventDraft {
  const preview = parseJson(row.preview) as Preview;
  return news(scope, row, "action.proposed", {
    ...proposalHead(scope, row),
    surface: row.surface,
    risk: preview.risk,
    title: preview.title,
    summary: preview.summary,
    ...(row.contract_version === 0
      ? { fields: preview.fields.map(({ name, value }) => ({ label: name, value })) }
      : {}),
    approver_roles: row.approver_roles,
    approve_url: approveUrl(baseUrl, scope.tag, row.id),
    expires_at: moment(row.expires_at),
  });
}

/** Only the approval of an AI's proposal fires an event of its own. */
export function approved(
  scope: Scope,
  row: ReportedRun,
  by: { readonly approver: Actor; readonly comment: string | null; readonly now: Instant },
): EventDraft[] {
  const proposer = parseJson(row.proposer) as Actor;
  if (proposer.type !== "ai") return [];
  return [
    news(scope, row, "ai.action.approved", {
      ...proposalHead(scope, row),
      params_hash: row.params_hash.toString("hex"),
      risk: (parseJson(row.preview) as Preview).risk,
      approver: shown(by.approver),
      comment: by.comment,
      approved_at: toRfc3339(by.now),
    }),
  ];
}

export function rejected(
  scope: Scope,
  row: ReportedRun,
  by: { readonly actor: Actor; readonly reason: string | null; readonly now: Instant },
): EventDraft {
  return news(scope, row, "action.rejected", {
    ...proposalHead(scope, row),
    rejected_by: shown(by.actor),
    reason: by.reason,
    rejected_at: toRfc3339(by.now),
  });
}

export function expired(scope: Scope, row: ReportedRun): EventDraft {
  return news(scope, row, "action.expired", {
    ...proposalHead(scope, row),
    expired_at: moment(row.expires_at),
  });
}

type Ran = Pick<
  RunRow,
  | "id"
  | "action"
  | "contract_version"
  | "proposal_id"
  | "actor"
  | "approver"
  | "surface"
  | "chain"
  | "tenant"
  | "audit_id"
  | "duration_ms"
  | "error_code"
  | "backend_status"
  | "undo_until"
  | "undo_actor"
>;

export function executed(scope: Scope, run: Ran, now: Instant): EventDraft {
  return news(scope, run, "action.executed", {
    ...runHead(scope, run),
    contract_version: run.contract_version,
    proposal_id: wireProposal(scope, run.proposal_id),
    audit_id: run.audit_id === null ? null : wireId("aud", scope.tag, run.audit_id),
    actor: actorText(run.actor),
    approver: run.approver === null ? null : actorText(run.approver),
    surface: run.surface,
    reversible: run.undo_until !== null,
    duration_ms: run.duration_ms,
    executed_at: toRfc3339(now),
  });
}

export function failed(scope: Scope, run: Ran, now: Instant): EventDraft {
  return news(scope, run, "action.failed", {
    ...runHead(scope, run),
    proposal_id: wireProposal(scope, run.proposal_id),
    actor: actorText(run.actor),
    error_code: run.error_code,
    backend_status: run.backend_status,
    failed_at: toRfc3339(now),
  });
}

export function undone(scope: Scope, run: Ran, now: Instant): EventDraft {
  return news(scope, run, "action.undone", {
    ...runHead(scope, run),
    undone_by: run.undo_actor === null ? null : actorText(run.undo_actor),
    undone_at: toRfc3339(now),
  });
}

function news(
  scope: Scope,
  cause: { readonly id: Uuid; readonly tenant: string | null; readonly chain: readonly Uuid[] | null },
  name: string,
  data: Readonly<Record<string, unknown>>,
): EventDraft {
  const subject = data["run_id"] ?? data["proposal_id"];
  return {
    scope,
    name,
    data: JSON.stringify(data),
    subject: String(subject),
    tenant: cause.tenant,
    isInternal: true,
    // Events and runs that follow carry on the chain, so that chains of rules and workflows end.
    ...(cause.chain === null ? {} : { chain: cause.chain }),
  };
}

function proposalHead(scope: Scope, row: ReportedRun): Readonly<Record<string, unknown>> {
  return {
    action: row.action,
    proposal_id: wireId("prop", scope.tag, row.id),
    proposer: actorText(row.proposer),
    ...(row.workflow === null ? {} : { workflow: parseJson(row.workflow) }),
  };
}

function runHead(scope: Scope, run: Ran): Readonly<Record<string, unknown>> {
  return { action: run.action, run_id: wireId("run", scope.tag, run.id) };
}

function wireProposal(scope: Scope, id: Uuid | null): Id | null {
  return id === null ? null : wireId("prop", scope.tag, id);
}

function actorText(text: string): object {
  return shown(parseJson(text) as Actor);
}

function shown({ type, id, display }: Actor): object {
  return { type, id, ...(display === null ? {} : { display }) };
}
