import { ADMIN_ROLES, mailRecipient, reachableMembers, scopeOf, tenantContact } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Db, Query, Tx } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { environmentOf, fromDate, parseId, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { ComposedMail, Mail, MailComposer, MailRow, NewMail } from "../../platform/mail/mail.ts";
import { noticeBlocked } from "../lanes/lanes.store.ts";
import { noticeFailing, tenantOfEndpoint } from "./endpoints.store.ts";
import type { EndpointKey } from "./endpoints.store.ts";
import { blockedEndpoints, disabledEndpoints, failingEndpoints } from "./unwell-endpoints.store.ts";
import type { NamedEndpoint } from "./unwell-endpoints.store.ts";

const DISABLED = "webhook.endpoint.disabled";
/** Endpoints of one receiver usually fail together. */
const DELAY_SECONDS = 60;
const SPACING_SECONDS = 600;
const MAX_SHOWN = 20;

type Announcer = Pick<Events, "announce">;
type Purpose = "endpoint_disabled" | "endpoint_failing" | "lane_blocked";
/** The workspace and environment that an endpoint belongs to. */
type Place = Pick<Scope, "bucket" | "workspaceId"> & { readonly tag: Tag };

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
      if (name !== DISABLED || !mailsAbout(mail, scope)) return;
      await queue(mail, tx, scope, { purpose: "endpoint_disabled", id: parseId(subject)?.uuid });
    },
  };
}

/** Tells owners, admins and the tenant's contact that an endpoint fails, once for each failure until it ends. A sandbox tells no one. */
export type FailingNotice = (endpoint: Place & { readonly id: Uuid }) => Promise<void>;

export function createFailingNotice({ db, mail }: { readonly db: Db; readonly mail: Mail }): FailingNotice {
  return async ({ id, ...scope }) => {
    if (!mailsAbout(mail, scope)) return;
    const key: EndpointKey = { bucket: scope.bucket, tag: scope.tag, id };
    await db.transaction(async (tx) => {
      const at = await noticeFailing(tx, key);
      // Another node was first, or the endpoint has recovered.
      if (at === undefined) return;
      await queue(mail, tx, scope, { purpose: "endpoint_failing", id, facts: { since: toRfc3339(fromDate(at)) } });
    });
  };
}

/** Tells them that lanes of an ordered endpoint have been blocked for an hour, once until none is. */
export function createBlockedNotice({ db, mail }: { readonly db: Db; readonly mail: Mail }): FailingNotice {
  return async ({ id, ...scope }) => {
    if (!mailsAbout(mail, scope)) return;
    await db.transaction(async (tx) => {
      if (await noticeBlocked(tx, { bucket: scope.bucket, tag: scope.tag, endpointId: id }))
        await queue(mail, tx, scope, { purpose: "lane_blocked", id });
    });
  };
}

function mailsAbout(mail: Mail, { tag }: Pick<Place, "tag">): boolean {
  return mail.isOn && environmentOf(tag) === "live";
}

interface Occasion {
  readonly purpose: Purpose;
  readonly id: Uuid | undefined;
  readonly facts?: Readonly<Record<string, string>>;
}

async function queue(mail: Mail, tx: Tx, scope: Place, { purpose, id, facts = {} }: Occasion): Promise<void> {
  const members = await reachableMembers(tx.query, scope.workspaceId, { roles: ADMIN_ROLES });
  const of = (reader: string, more: Pick<NewMail, "memberId" | "facts">): NewMail => ({
    purpose,
    recipient: null,
    ...more,
    digest: { name: `${DIGESTS[purpose]}:${reader}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
  });
  const mails = members.map(({ id: memberId }) => of(memberId, { memberId, facts }));
  const tenant =
    id === undefined ? null : await tenantOfEndpoint(tx.query, { bucket: scope.bucket, tag: scope.tag, id });
  // The address is read when the mail is sent.
  if (tenant !== null && (await tenantContact(tx.query, scope.tag, tenant)) !== undefined)
    mails.push(of(`tenant:${tenant}`, { memberId: null, facts: { ...facts, tenant } }));
  await mail.queue(tx, scope, mails);
}

const DIGESTS: Readonly<Record<Purpose, string>> = {
  endpoint_disabled: "endpoints",
  endpoint_failing: "failing",
  lane_blocked: "blocked",
};

type Facts = Readonly<Record<string, string>>;

interface Words {
  readonly one: string;
  readonly many: string;
  readonly text: string;
  readonly none: string;
  /** Reads the endpoints of a tenant, or those of all. */
  read(query: Query, scope: Scope, facts: Facts): Promise<readonly NamedEndpoint[]>;
}

const WORDS: Readonly<Record<Purpose, Words>> = {
  endpoint_disabled: {
    one: "A webhook endpoint was disabled",
    many: "Webhook endpoints were disabled",
    text: 'The service has disabled these endpoints, because they failed for five days or answered 410. What is pending for them waits until you activate them again. Later events are not sent to them. To send those after that, choose "Send missed events" on the endpoint.',
    none: "The endpoints are active again.",
    read: async (query, scope, { tenant }) => await disabledEndpoints(query, { ...scope, tenant }, MAX_SHOWN + 1),
  },
  endpoint_failing: {
    one: "A webhook endpoint is failing",
    many: "Webhook endpoints are failing",
    text: "These endpoints have failed for ten minutes or more. The service sends their events again for about 15 hours. It disables an endpoint that fails for five days.",
    none: "The endpoints have recovered, or are not active.",
    read: async (query, scope, { tenant, since }) =>
      await failingEndpoints(query, { ...scope, tenant }, since, MAX_SHOWN + 1),
  },
  lane_blocked: {
    one: "Deliveries of a webhook endpoint are blocked",
    many: "Deliveries of webhook endpoints are blocked",
    text: "A delivery to each of these endpoints failed an hour ago or earlier, and the later ones with its ordering key wait for it. Retry or skip it in the endpoint's lanes.",
    none: "Nothing is blocked any more.",
    read: async (query, scope, { tenant }) => await blockedEndpoints(query, { ...scope, tenant }, MAX_SHOWN + 1),
  },
};

export interface EndpointMailDeps {
  readonly db: Db;
  readonly baseUrl: string;
  /** Returns the name of a workspace. */
  nameOf(workspaceId: Uuid): Promise<string>;
}

/** Writes one e-mail about all endpoints that fail since the mail was queued, or that the service has disabled. */
export function endpointMail(deps: EndpointMailDeps, purpose: Purpose): MailComposer {
  const words = WORDS[purpose];
  return async (row) => {
    const facts = factsOf(row);
    return facts["tenant"] === undefined
      ? await memberMail(deps, words, row)
      : await tenantMail(deps, words, row, facts["tenant"]);
  };
}

async function memberMail({ db, baseUrl }: EndpointMailDeps, words: Words, row: MailRow): Promise<ComposedMail> {
  const { one, many, text, none, read } = words;
  const member = await mailRecipient(db.query, row, "endpoint_failures");
  if (member === undefined || row.workspace_id === null || !ADMIN_ROLES.some((role) => role === member.role))
    return { skipped: "The member has left or is no admin now, or does not want this e-mail." };
  const scope = scopeOf(row.workspace_id, row.tag);
  const found = await db.at(scope.bucket, async () => await read(db.query, scope, factsOf(row)));
  if (found.length === 0) return { skipped: none };
  const isMore = found.length > MAX_SHOWN;
  return {
    to: member.email,
    subject: found.length === 1 ? one : many,
    blocks: [
      text,
      ...found.slice(0, MAX_SHOWN).map((endpoint) => ({
        label: labelOf(endpoint),
        url: `${baseUrl}/endpoints/${wireId("ep", scope.tag, endpoint.id)}`,
      })),
      ...(isMore ? [{ label: "All endpoints", url: `${baseUrl}/endpoints` }] : []),
      { label: "Turn this e-mail off", url: `${baseUrl}/account` },
    ],
  };
}

/** Writes to a customer of the workspace, who cannot sign in here, about the customer's own endpoints. */
async function tenantMail(
  { db, nameOf }: EndpointMailDeps,
  { one, many, text, none, read }: Words,
  row: MailRow,
  tenant: string,
): Promise<ComposedMail> {
  const to = await tenantContact(db.query, row.tag, tenant);
  if (to === undefined || row.workspace_id === null) return { skipped: "The tenant has no contact now." };
  const scope = scopeOf(row.workspace_id, row.tag);
  const found = await db.at(scope.bucket, async () => await read(db.query, scope, factsOf(row)));
  if (found.length === 0) return { skipped: none };
  const name = await nameOf(row.workspace_id);
  const isMore = found.length > MAX_SHOWN;
  return {
    to,
    subject: `${name}: ${found.length === 1 ? one : many}`,
    blocks: [
      text,
      ...found.slice(0, MAX_SHOWN).map(labelOf),
      ...(isMore ? ["There are more."] : []),
      `You get this e-mail because your account at ${name} has webhook endpoints. To change or disable them, sign in there. To stop this e-mail, ask ${name}.`,
    ],
  };
}

function labelOf({ description, url }: NamedEndpoint): string {
  const host = URL.parse(url)?.host ?? "";
  return description === null || description === "" ? host : `${description} (${host})`;
}
