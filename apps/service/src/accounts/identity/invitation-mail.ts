import type { Db, Tx } from "../../platform/db/db.ts";
import { sha256, timeText, toDate } from "../../lib/lib.ts";
import type { Clock, Sealer, Uuid } from "../../lib/lib.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { Mail, MailComposer } from "../../platform/mail/mail.ts";
import { invitationByToken } from "../people/members.store.ts";
import type { InvitationRow } from "../people/members.store.ts";
import type { Scope } from "../callers/scope.ts";

/**
 * Returns the token of an invitation's link. It follows from the id and the master key, so that the mail can contain it
 * although only its hash is stored.
 */
export function invitationToken(sealer: Sealer, id: Uuid): string {
  return sealer.fingerprint(id, "invitation").toString("base64url");
}

/** Sends the link to the invited person. Returns false if the service sends no mail, or none to this address. */
export async function mailInvitation(
  mail: Pick<Mail, "queue">,
  tx: Tx,
  scope: Scope,
  { id, email }: Pick<InvitationRow, "id" | "email">,
): Promise<boolean> {
  const one = { purpose: "invitation", memberId: null, recipient: email, facts: { invitation_id: id } } as const;
  return (await mail.queue(tx, scope, [one])) > 0;
}

export interface InvitationMailDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly baseUrl: string;
  isStillOffered(query: Db["query"], invitation: InvitationRow, now: Date): Promise<boolean>;
}

export function invitationComposer({ db, clock, sealer, baseUrl, isStillOffered }: InvitationMailDeps): MailComposer {
  return async (mail) => {
    const token = invitationToken(sealer, factsOf(mail)["invitation_id"] as Uuid);
    const now = toDate(clock.now());
    const found = await invitationByToken(db.query, sha256(token), now);
    if (found === undefined || !(await isStillOffered(db.query, found, now)))
      return { skipped: "The invitation was accepted or withdrawn, or has expired." };
    const until = timeText(found.expires_at).slice(0, 10);
    return {
      to: found.email,
      subject: `Invitation to ${found.workspace_name}`,
      blocks: [
        `You are invited to the workspace “${found.workspace_name}” of Junction at ${baseUrl}, with the role ${found.role}.`,
        { label: "Accept the invitation", url: `${baseUrl}/invite?token=${token}` },
        `The link works once, until ${until}. If you do not expect this invitation, ignore it: nothing happens without the link.`,
      ],
    };
  };
}
