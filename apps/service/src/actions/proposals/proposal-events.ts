import type { EventDraft, Events } from "../../events/events.ts";
import type { Tx } from "../../platform/db/db.ts";
import { parseJson, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import { actorText, news, shownActor } from "../requests/system-events.ts";
import { moment } from "../wire/view-fields.ts";
import type { Preview } from "./proposals.schemas.ts";
import { approveUrl } from "./proposal-view.ts";
import type { ProposalRow } from "./proposals.store.ts";

const PROPOSED = "action.proposed";

/** Returns the same events. `listener` is called with those of new proposals, in the transaction that fires them. */
export function onProposed<E extends Pick<Events, "fireWithin">>(
  events: E,
  listener: (tx: Tx, drafts: readonly EventDraft[]) => Promise<void>,
): E {
  return {
    ...events,
    async fireWithin(tx, drafts) {
      const fired = await events.fireWithin(tx, drafts);
      const proposals = drafts.filter(({ name }) => name === PROPOSED);
      if (proposals.length > 0) await listener(tx, proposals);
      return fired;
    },
  };
}

export function proposed(scope: Scope, row: ProposalRow, baseUrl: string): EventDraft {
  const preview = parseJson(row.preview) as Preview;
  return news(scope, row, PROPOSED, {
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
  row: ProposalRow,
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
  row: ProposalRow,
  by: { readonly actor: Actor; readonly reason: string | null; readonly now: Instant },
): EventDraft {
  return news(scope, row, "action.rejected", {
    ...proposalHead(scope, row),
    rejected_by: shownActor(by.actor),
    reason: by.reason,
    rejected_at: toRfc3339(by.now),
  });
}

export function expired(scope: Scope, row: ProposalRow): EventDraft {
  return news(scope, row, "action.expired", {
    ...proposalHead(scope, row),
    expired_at: moment(row.expires_at),
  });
}

function proposalHead(scope: Scope, row: ProposalRow): Readonly<Record<string, unknown>> {
  return {
    action: row.action,
    proposal_id: wireId("prop", scope.tag, row.id),
    proposer: actorText(row.proposer),
    ...(row.workflow === null ? {} : { workflow: parseJson(row.workflow) }),
  };
}
