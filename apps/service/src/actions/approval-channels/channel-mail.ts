import type { Db } from "../../platform/db/db.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { MailComposer, NewMail } from "../../platform/mail/mail.ts";
import type { Uuid } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { proposalsById } from "../proposals/proposals.store.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { approveUrl } from "../proposals/proposal-view.ts";
import { openProposalsOf } from "./announcements.store.ts";
import { findChannel } from "./channels.store.ts";
import type { ChannelRow } from "./channels.store.ts";
import { conditionsOf, previewOfRow } from "./proposal-words.ts";

/** Proposals of these seconds share an e-mail. */
const DELAY_SECONDS = 15;
const MAX_SHOWN = 10;
const MAX_READ = 200;

/** Returns the e-mail of a channel to queue: one to each recipient, about all that waits then. */
export function channelMails({ id, recipients }: ChannelRow, proposalId: Uuid): NewMail[] {
  return recipients.map((recipient) => ({
    purpose: "approval_channel",
    memberId: null,
    recipient,
    facts: { channel_id: id, proposal_id: proposalId },
    digest: { name: `approval_channel:${id}:${recipient}`, delaySeconds: DELAY_SECONDS, spacingSeconds: 0 },
  }));
}

/** Writes one e-mail with the previews of all that waits. It decides nothing: its links open the console's pages. */
export function channelComposer({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): MailComposer {
  return async (mail) => {
    const { workspace_id: workspaceId, recipient } = mail;
    if (workspaceId === null || recipient === null) return { skipped: "The e-mail names no channel." };
    const scope = scopeOf(workspaceId, mail.tag);
    const channelId = factsOf(mail)["channel_id"] as Uuid;
    const read = async (): Promise<Waiting | undefined> => await waitingIn(db, scope, channelId);
    const waiting = await db.at(scope.bucket, read);
    if (waiting?.channel.recipients.includes(recipient) !== true)
      return { skipped: "The channel was deleted or switched off, or has other recipients now." };
    if (factsOf(mail)["test"] !== undefined)
      return {
        to: recipient,
        subject: `Test of ${waiting.channel.name}`,
        blocks: [
          "Junction announces approvals to this address.",
          { label: "All approvals", url: `${baseUrl}/approvals` },
        ],
      };
    const { proposals, isMore } = waiting;
    const [first] = proposals;
    if (first === undefined) return { skipped: "Nothing waits for approval." };
    const isOne = proposals.length === 1 && !isMore;
    return {
      to: recipient,
      subject: isOne ? `Approval: ${previewOfRow(first).title}` : "Approvals are waiting",
      blocks: [
        "This e-mail decides nothing: the links open the pages where people with the role can review, approve or reject.",
        ...proposals.flatMap((row) => [
          proposalText(row, scope),
          { label: previewOfRow(row).title, url: approveUrl(baseUrl, scope.tag, row.id) },
        ]),
        ...(isMore ? [{ label: "All approvals", url: `${baseUrl}/approvals` }] : []),
      ],
    };
  };
}

interface Waiting {
  readonly channel: ChannelRow;
  readonly proposals: readonly ProposalRow[];
  readonly isMore: boolean;
}

async function waitingIn({ query }: Db, scope: Scope, channelId: Uuid): Promise<Waiting | undefined> {
  const channel = await findChannel(query, scope, channelId);
  if (channel?.active !== true) return undefined;
  const ids = await openProposalsOf(query, scope, channelId, MAX_READ);
  const shown = ids.slice(-MAX_SHOWN);
  const proposals = shown.length === 0 ? [] : await proposalsById(query, scope, shown);
  return {
    channel,
    proposals: proposals.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    isMore: ids.length > MAX_SHOWN,
  };
}

/** Returns the server's preview as text. */
function proposalText(row: ProposalRow, { environment }: Scope): string {
  const { title, summary, fields } = previewOfRow(row);
  const lines = fields.map(
    ({ name, description, value }) => `${name}${description === "" ? "" : ` (${description})`}: ${value}`,
  );
  return [title, summary, ...lines, conditionsOf(row, environment)].join("\n");
}
