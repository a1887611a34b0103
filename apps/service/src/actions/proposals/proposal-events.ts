import type { EventDraft } from "../../events/events.ts";
import { parseJson, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import { actorText, news, shownActor } from "../requests/system-events.ts";
import { moment } from "../wire/view-fields.ts";
import type { Preview } from "./proposals.schemas.ts";
import { approveUrl } from "./proposal-view.ts";
import type { ProposalRow } from "./proposals.store.ts";

type ToldProposal = Pick<
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

export function proposed(scope: Scope, row: ToldProposal, baseUrl: string): EventDraft {
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
  row: ToldProposal,
  by: { readonly approver: Actor; readonly comment: string | null; readonly now: Instant },
): EventDraft[] {
  const proposer = parseJson(row.proposer) as Actor;
  if (proposer.type !== "ai") return [];
  return [
    news(scope, row, "ai.action.approved", {
      ...proposalHead(scope, row),
      params_hash: row.params_hash.toString("hex"),
      risk: (parseJson(row.preview) as Preview).risk,
      approver: shownActor(by.approver),
      comment: by.comment,
      approved_at: toRfc3339(by.now),
    }),
  ];
}

export function rejected(
  scope: Scope,
  row: ToldProposal,
  by: { readonly actor: Actor; readonly reason: string | null; readonly now: Instant },
): EventDraft {
  return news(scope, row, "action.rejected", {
    ...proposalHead(scope, row),
    rejected_by: shownActor(by.actor),
    reason: by.reason,
    rejected_at: toRfc3339(by.now),
  });
}

export function expired(scope: Scope, row: ToldProposal): EventDraft {
  return news(scope, row, "action.expired", {
    ...proposalHead(scope, row),
    expired_at: moment(row.expires_at),
  });
}

function proposalHead(scope: Scope, row: ToldProposal): Readonly<Record<string, unknown>> {
  return {
    action: row.action,
    proposal_id: wireId("prop", scope.tag, row.id),
    proposer: actorText(row.proposer),
    ...(row.workflow === null ? {} : { workflow: parseJson(row.workflow) }),
  };
}
