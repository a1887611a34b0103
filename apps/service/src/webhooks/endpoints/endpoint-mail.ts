import { ADMIN_ROLES, mailRecipient, reachableMembers, scopeOf } from "../../accounts/accounts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { environmentOf, wireId } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import type { Mail, MailComposer } from "../../platform/mail/mail.ts";
import { disabledEndpoints } from "./endpoints.store.ts";

const DISABLED = "webhook.endpoint.disabled";
/** Endpoints of one receiver usually fail together. */
const DELAY_SECONDS = 60;
const SPACING_SECONDS = 600;
const MAX_SHOWN = 20;

type Announcer = Pick<Events, "announce">;

/**
 * Returns the same events. An announced `webhook.endpoint.disabled` also queues an e-mail for each owner and admin, in
 * its transaction. A sandbox sends none.
 */
export function mailingDisabled<E extends Announcer>(events: E, mail: Mail): E {
  return {
    ...events,
    async announce(tx: Tx, announced: Parameters<Announcer["announce"]>[1]) {
      await events.announce(tx, announced);
      const { name, scope } = announced;
      if (name !== DISABLED || !mail.isOn || environmentOf(scope.tag) === "sandbox") return;
      const members = await reachableMembers(tx.query, scope.workspaceId, { roles: ADMIN_ROLES });
      await mail.queue(
        tx,
        scope,
        members.map(({ id: memberId }) => ({
          purpose: "endpoint_disabled",
          memberId,
          recipient: null,
          facts: {},
          digest: { name: `endpoints:${memberId}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
        })),
      );
    },
  };
}

/** Writes one e-mail about all endpoints that the service has disabled. */
export function endpointMail({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): MailComposer {
  return async (row) => {
    const member = await mailRecipient(db.query, row, "endpoint_failures");
    if (member === undefined || row.workspace_id === null || !ADMIN_ROLES.some((role) => role === member.role))
      return { skipped: "The member has left or is no admin now, or does not want this e-mail." };
    const scope = scopeOf(row.workspace_id, row.tag as Tag);
    const disabled = await db.at(scope.bucket, async () => await disabledEndpoints(db.query, scope, MAX_SHOWN + 1));
    if (disabled.length === 0) return { skipped: "The endpoints are active again." };
    const isMore = disabled.length > MAX_SHOWN;
    return {
      to: member.email,
      subject: disabled.length === 1 ? "A webhook endpoint was disabled" : "Webhook endpoints were disabled",
      blocks: [
        "The service has disabled these endpoints, because they failed for five days or answered 410. Their events wait until you activate them again.",
        ...disabled.slice(0, MAX_SHOWN).map(({ id, description, url }) => ({
          label:
            description === null || description === "" ? new URL(url).host : `${description} (${new URL(url).host})`,
          url: `${baseUrl}/endpoints/${wireId("ep", scope.tag, id)}`,
        })),
        ...(isMore ? [{ label: "All endpoints", url: `${baseUrl}/endpoints` }] : []),
        { label: "Turn this e-mail off", url: `${baseUrl}/account` },
      ],
    };
  };
}
