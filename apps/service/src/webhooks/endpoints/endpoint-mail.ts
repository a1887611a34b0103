import { objectMail, queueObjectMail, sendsMail } from "../../accounts/accounts.ts";
import type { MailPlace, ObjectMailDeps, ObjectWords } from "../../accounts/accounts.ts";
import type { Db, Query, Tx } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { parseId, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Mail, MailComposer } from "../../platform/mail/mail.ts";
import { noticeBlocked } from "./ordered-endpoints.store.ts";
import { tenantOfEndpoint } from "./endpoints.store.ts";
import { blockedEndpoints, disabledEndpoints } from "./unwell-endpoints.store.ts";
import type { NamedEndpoint } from "./unwell-endpoints.store.ts";

const DISABLED = "webhook.endpoint.disabled";

type Announcer = Pick<Events, "announce">;
type Purpose = "endpoint_disabled" | "lane_blocked";

/**
 * Returns the same events. An announced `webhook.endpoint.disabled` also queues an e-mail for each owner and admin, in
 * its transaction, and one for the contact of the endpoint's tenant. A sandbox sends none.
 */
export function mailingDisabled<E extends Announcer>(events: E, mail: Mail): E {
  return {
    ...events,
    async announce(tx: Tx, announced: Parameters<Announcer["announce"]>[1]) {
      await events.announce(tx, announced);
      const { name, scope, subject } = announced;
      if (name !== DISABLED || !sendsMail(mail, scope)) return;
      await queue(mail, tx, scope, { purpose: "endpoint_disabled", id: parseId(subject)?.uuid });
    },
  };
}

/** Tells owners, admins and the tenant's contact of an endpoint. A sandbox tells no one. */
export type EndpointNotice = (endpoint: MailPlace & { readonly id: Uuid }) => Promise<void>;

/** Tells them that lanes of an ordered endpoint have been blocked for an hour, once until none is. */
export function createBlockedNotice({ db, mail }: { readonly db: Db; readonly mail: Mail }): EndpointNotice {
  return async ({ id, ...scope }) => {
    if (!sendsMail(mail, scope)) return;
    await db.transaction(async (tx) => {
      if (await noticeBlocked(tx, { bucket: scope.bucket, tag: scope.tag, endpointId: id }))
        await queue(mail, tx, scope, { purpose: "lane_blocked", id });
    });
  };
}

async function queue(
  mail: Mail,
  tx: Tx,
  scope: MailPlace,
  { purpose, id }: { readonly purpose: Purpose; readonly id: Uuid | undefined },
): Promise<void> {
  const { bucket, tag } = scope;
  const tenant = id === undefined ? null : await tenantOfEndpoint(tx.query, { bucket, tag, id });
  await queueObjectMail(mail, tx, scope, { purpose, digest: DIGESTS[purpose], tenant });
}

const DIGESTS: Readonly<Record<Purpose, string>> = { endpoint_disabled: "endpoints", lane_blocked: "blocked" };

type Reader = (query: Query, place: Parameters<typeof disabledEndpoints>[1], limit: number) => Promise<NamedEndpoint[]>;
type Words = Omit<ObjectWords, "read" | "all"> & { readonly read: Reader };

const WORDS: Readonly<Record<Purpose, Words>> = {
  endpoint_disabled: {
    one: "A webhook endpoint was disabled",
    many: "Webhook endpoints were disabled",
    text: 'The service has disabled these endpoints, because they failed for five days or answered 410. What is pending for them waits until you activate them again. Later events are not sent to them. To send those after that, choose "Send missed events" on the endpoint.',
    none: "The endpoints are active again.",
    read: disabledEndpoints,
  },
  lane_blocked: {
    one: "Deliveries of a webhook endpoint are blocked",
    many: "Deliveries of webhook endpoints are blocked",
    text: "A delivery to each of these endpoints failed an hour ago or earlier, and the later ones with its ordering key wait for it. Retry or skip it in the endpoint's lanes.",
    none: "Nothing is blocked any more.",
    read: blockedEndpoints,
  },
};

/** Writes one e-mail about all endpoints that the service has disabled, or of which lanes are blocked. */
export function endpointMail(deps: ObjectMailDeps, purpose: Purpose): MailComposer {
  const { read, ...words } = WORDS[purpose];
  return objectMail(deps, {
    ...words,
    all: { label: "All endpoints", path: "/endpoints" },
    async read(query, scope, { tenant }, limit) {
      const found = await read(query, { ...scope, tenant }, limit);
      return found.map((endpoint) => ({
        label: labelOf(endpoint),
        path: `/endpoints/${wireId("ep", scope.tag, endpoint.id)}`,
      }));
    },
  });
}

/** Returns the name of an endpoint for people. */
export function labelOf({ description, url }: Pick<NamedEndpoint, "description" | "url">): string {
  // A pull endpoint has no URL.
  const host = URL.parse(url)?.host ?? "pull endpoint";
  return description === null || description === "" ? host : `${description} (${host})`;
}
