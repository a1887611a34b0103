import { mailRecipient, memberIdsOf, scopeOf } from "../../accounts/accounts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { EventDraft, Events } from "../../events/events.ts";
import { parseId, parseJson } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { Mail, MailComposer } from "../../platform/mail/mail.ts";
import { onProposed } from "./proposal-events.ts";
import { approveUrl } from "./proposal-view.ts";
import { areAmong } from "./proposal.ts";
import type { Preview } from "./proposals.schemas.ts";
import { listProposals } from "./proposals.store.ts";
import type { ProposalRow } from "./proposals.store.ts";

/** Proposals of these seconds share the first e-mail. Further ones wait until the next may be sent. */
const DELAY_SECONDS = 30;
const SPACING_SECONDS = 600;
const MAX_READ = 500;
const MAX_SHOWN = 10;

/**
 * Returns the same events. Each fired `action.proposed` also queues one e-mail for each approver, in its transaction. A
 * sandbox sends none.
 */
export function mailingProposals<E extends Pick<Events, "fireWithin">>(events: E, mail: Mail): E {
  return onProposed(events, async (tx, drafts) => {
    if (mail.isOn) await queueMails(mail, tx, drafts);
  });
}

async function queueMails(mail: Mail, tx: Tx, drafts: readonly EventDraft[]): Promise<void> {
  const waiting = drafts
    .filter(({ scope }) => scope.environment === "live")
    .map(({ scope, data }) => ({ scope, ...(parseJson(data) as { proposal_id: string; approver_roles: string[] }) }));
  const groups = Map.groupBy(waiting, ({ scope, approver_roles: roles }) => `${scope.tag} ${roles.join(" ")}`);
  for (const [first] of groups.values()) {
    if (first === undefined) continue;
    const { scope, approver_roles: roles, proposal_id: id } = first;
    const facts = { since: parseId(id)?.uuid ?? "" };
    const memberIds = roles.length === 0 ? [] : await memberIdsOf(tx.query, scope.workspaceId, roles);
    await mail.queue(
      tx,
      scope,
      memberIds.map((memberId) => ({
        purpose: "approvals",
        memberId,
        recipient: null,
        facts,
        digest: { name: `approvals:${memberId}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
      })),
    );
  }
}

/** Writes one e-mail about all that waits for the approver. It decides nothing: its links open the console's pages. */
export function proposalMail({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): MailComposer {
  return async (row) => {
    const member = await mailRecipient(db.query, row, "approvals");
    if (member === undefined || row.workspace_id === null)
      return { skipped: "The member has left, or does not want this e-mail." };
    const scope = scopeOf(row.workspace_id, row.tag);
    const open = await db.at(
      scope.bucket,
      async () => await listProposals(db.query, scope, { state: "proposed" }, MAX_READ),
    );
    const mine = open.filter((proposal) => mayDecide(proposal, member));
    const { since = "" } = factsOf(row);
    if (!mine.some(({ id }) => id >= since)) return { skipped: "Nothing new waits for this member's approval." };
    const isMore = mine.length > MAX_SHOWN;
    return {
      to: member.email,
      subject: mine.length === 1 ? `Approval: ${titleOf(mine[0])}` : `${mine.length} approvals are waiting`,
      blocks: [
        "Your approval is needed. This e-mail decides nothing: the links open the pages where you can review, approve or reject.",
        ...mine.slice(0, MAX_SHOWN).map((proposal) => ({
          label: titleOf(proposal),
          url: approveUrl(baseUrl, scope.tag, proposal.id),
        })),
        ...(isMore ? [{ label: `All ${mine.length} approvals`, url: `${baseUrl}/approvals` }] : []),
        { label: "Turn this e-mail off", url: `${baseUrl}/account` },
      ],
    };
  };
}

function mayDecide(
  proposal: ProposalRow,
  { id, person_id: personId, role }: { readonly id: Uuid; readonly person_id: Uuid; readonly role: string },
): boolean {
  if (!proposal.approver_roles.includes(role) || areAmong([id, personId], proposal.approver_ids)) return false;
  return !proposal.four_eyes || !areAmong([id, personId], proposal.involved);
}

function titleOf(proposal: ProposalRow | undefined): string {
  return proposal === undefined ? "" : (parseJson(proposal.preview) as Preview).title;
}
