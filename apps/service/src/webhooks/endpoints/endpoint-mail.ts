import { ADMIN_ROLES, mailRecipient, reachableMembers, scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Db, Query, Tx } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { environmentOf, fromDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { Mail, MailComposer, MailRow } from "../../platform/mail/mail.ts";
import { disabledEndpoints, failingEndpoints, noticeFailing } from "./endpoints.store.ts";
import type { EndpointKey, NamedEndpoint } from "./endpoints.store.ts";

const DISABLED = "webhook.endpoint.disabled";
/** Endpoints of one receiver usually fail together. */
const DELAY_SECONDS = 60;
const SPACING_SECONDS = 600;
const MAX_SHOWN = 20;

type Announcer = Pick<Events, "announce">;
type Purpose = "endpoint_disabled" | "endpoint_failing";
/** The workspace and environment that an endpoint belongs to. */
type Place = Pick<Scope, "bucket" | "workspaceId"> & { readonly tag: Tag };

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
      if (name === DISABLED && mailsAbout(mail, scope)) await queue(mail, tx, scope, { purpose: "endpoint_disabled" });
    },
  };
}

/** Tells owners and admins that an endpoint fails, once for each failure until it ends. A sandbox tells no one. */
export type FailingNotice = (endpoint: Place & { readonly id: Uuid }) => Promise<void>;

export function createFailingNotice({ db, mail }: { readonly db: Db; readonly mail: Mail }): FailingNotice {
  return async ({ id, ...scope }) => {
    if (!mailsAbout(mail, scope)) return;
    const key: EndpointKey = { bucket: scope.bucket, tag: scope.tag, id };
    await db.transaction(async (tx) => {
      const at = await noticeFailing(tx, key);
      // Another node was first, or the endpoint has recovered.
      if (at === undefined) return;
      await queue(mail, tx, scope, { purpose: "endpoint_failing", facts: { since: toRfc3339(fromDate(at)) } });
    });
  };
}

function mailsAbout(mail: Mail, { tag }: Pick<Place, "tag">): boolean {
  return mail.isOn && environmentOf(tag) === "live";
}

async function queue(
  mail: Mail,
  tx: Tx,
  scope: Place,
  { purpose, facts = {} }: { readonly purpose: Purpose; readonly facts?: Readonly<Record<string, string>> },
): Promise<void> {
  const members = await reachableMembers(tx.query, scope.workspaceId, { roles: ADMIN_ROLES });
  await mail.queue(
    tx,
    scope,
    members.map(({ id: memberId }) => ({
      purpose,
      memberId,
      recipient: null,
      facts,
      digest: { name: `${DIGESTS[purpose]}:${memberId}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
    })),
  );
}

const DIGESTS: Readonly<Record<Purpose, string>> = { endpoint_disabled: "endpoints", endpoint_failing: "failing" };

interface Words {
  readonly one: string;
  readonly many: string;
  readonly text: string;
  readonly none: string;
  read(query: Query, scope: Scope, row: MailRow): Promise<readonly NamedEndpoint[]>;
}

const WORDS: Readonly<Record<Purpose, Words>> = {
  endpoint_disabled: {
    one: "A webhook endpoint was disabled",
    many: "Webhook endpoints were disabled",
    text: "The service has disabled these endpoints, because they failed for five days or answered 410. Their events wait until you activate them again.",
    none: "The endpoints are active again.",
    read: async (query, scope) => await disabledEndpoints(query, scope, MAX_SHOWN + 1),
  },
  endpoint_failing: {
    one: "A webhook endpoint is failing",
    many: "Webhook endpoints are failing",
    text: "These endpoints have failed for ten minutes or more. The service sends their events again for about 15 hours. It disables an endpoint that fails for five days.",
    none: "The endpoints have recovered, or are not active.",
    read: async (query, scope, row) => await failingEndpoints(query, scope, factsOf(row)["since"], MAX_SHOWN + 1),
  },
};

/** Writes one e-mail about all endpoints that fail since the mail was queued, or that the service has disabled. */
export function endpointMail(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  purpose: Purpose,
): MailComposer {
  const { one, many, text, none, read } = WORDS[purpose];
  return async (row) => {
    const member = await mailRecipient(db.query, row, "endpoint_failures");
    if (member === undefined || row.workspace_id === null || !ADMIN_ROLES.some((role) => role === member.role))
      return { skipped: "The member has left or is no admin now, or does not want this e-mail." };
    const scope = scopeOf(row.workspace_id, row.tag);
    const found = await db.at(scope.bucket, async () => await read(db.query, scope, row));
    if (found.length === 0) return { skipped: none };
    const isMore = found.length > MAX_SHOWN;
    return {
      to: member.email,
      subject: found.length === 1 ? one : many,
      blocks: [
        text,
        ...found.slice(0, MAX_SHOWN).map(({ id, description, url }) => ({
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
