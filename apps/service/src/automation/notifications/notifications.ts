import { MEMBER_ROLES, mailRecipient, memberWireId, reachableMembers, scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { PersonalData } from "../../contacts/contacts.ts";
import { deleteGone } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { Mail, MailComposer } from "../../platform/mail/mail.ts";
import { fromDate, paginate, parseId, tagOf, toRfc3339, wireId } from "../../lib/lib.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import type { EventRecords } from "../../webhooks/webhooks.ts";
import * as store from "./notifications.store.ts";
import type { NotificationRow } from "./notifications.store.ts";

/** A message of a rule to members. */
export interface Message {
  /** Roles, ids (`mem_…`) or e-mail addresses of members, after they were filled in. */
  readonly to: readonly string[];
  readonly message: string;
  readonly ruleId: Uuid;
  readonly ruleName: string;
  readonly eventId: Uuid;
  /** The tenant of the event. */
  readonly tenant: string | null;
  readonly contactId: Uuid | null;
}

export interface Reach {
  /** The number of members that have the message. */
  readonly reached: number;
  /** Says whether they get it by e-mail too: `off` if the operator has set no mail server. A sandbox sends none. */
  readonly email: "queued" | "off" | "sandbox";
}

/** The messages of rules to members, in the workspace and by e-mail. */
export type Notifications = ReturnType<typeof createNotifications>;

export interface NotificationQuery {
  readonly unread?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface NotificationsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly mail: Mail;
  readonly baseUrl: string;
}

/** A first mail soon, and then one a minute at most with all that is new. */
const DELAY_SECONDS = 5;
const SPACING_SECONDS = 60;
const MAX_MAILED = 20;
const EXPORT_STEP = 100;

export function createNotifications(deps: NotificationsDeps) {
  const { db } = deps;
  const personal: PersonalData = {
    name: "notifications",
    read: (scope, contactIds) => readOf(db, scope, contactIds),
    erase: async (tx, scope, contactIds) => await store.eraseNotifications(tx, scope, contactIds),
  };
  /** The messages about a deleted tenant. */
  const ofTenants: EventRecords = {
    eraseOfEvents: async (tx, scope, eventIds) => await store.eraseOfEvents(tx, scope, eventIds),
    eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "notification", scope, gone),
  };
  return {
    /** Stores the message for each chosen member, and queues e-mail, in the transaction of the rule's run. */
    notify: async (tx: Tx, scope: Scope, message: Message): Promise<Reach> => await notify(deps, tx, scope, message),
    async list(scope: Scope, memberId: Uuid | null, { unread = false, ...page }: NotificationQuery) {
      return await paginate(page, {
        binding: [scope.tag, "notifications", memberId, unread],
        read: async (before, limit) =>
          memberId === null
            ? []
            : await store.listNotifications(db.query, scope, { memberId, unread }, { before, limit }),
        view: (row) => notificationView(scope, row),
      });
    },
    /** Marks the member's own messages as read. Returns the number of those that were not. */
    async read(scope: Scope, memberId: Uuid | null, ids: readonly string[]): Promise<number> {
      const own = ids.flatMap((id) => {
        const parsed = parseId(id);
        return parsed?.prefix === "ntf" && parsed.tag === scope.tag ? [parsed.uuid] : [];
      });
      if (memberId === null || own.length === 0) return 0;
      return await db.transaction(async (tx) => await store.readNotifications(tx, scope, memberId, own));
    },
    mail: composer(deps),
    ofTenants,
    personal,
  };
}

async function notify({ ids, mail }: NotificationsDeps, tx: Tx, scope: Scope, message: Message): Promise<Reach> {
  const members = await reachableMembers(tx.query, scope.workspaceId, choiceOf(scope, message.to));
  const { bucket, tag, workspaceId } = scope;
  const rows = members.map(({ id: memberId }) => ({
    bucket,
    tag,
    id: ids.uuid(),
    workspace_id: workspaceId,
    member_id: memberId,
    rule_id: message.ruleId,
    rule_name: message.ruleName,
    event_id: message.eventId,
    tenant: message.tenant,
    contact_id: message.contactId,
    // A sender's text can have NUL, which the database refuses, and the run would never end.
    message: message.message.toWellFormed().replaceAll("\0", "\uFFFD"),
  }));
  await store.insertNotifications(tx, rows);
  const reached = rows.length;
  if (!mail.isOn) return { reached, email: "off" };
  if (scope.environment === "sandbox") return { reached, email: "sandbox" };
  await mail.queue(
    tx,
    scope,
    rows.map(({ id: since, member_id: memberId }) => ({
      purpose: "notification",
      memberId,
      recipient: null,
      facts: { since },
      digest: { name: `notification:${memberId}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
    })),
  );
  return { reached, email: "queued" };
}

/** Sorts the recipients by their form. Text of no form chooses no member. */
function choiceOf(scope: Scope, to: readonly string[]) {
  const live = tagOf(scope.tag, "live");
  const ids = to.flatMap((text) => {
    const parsed = parseId(text);
    return parsed?.prefix === "mem" && parsed.tag === live ? [parsed.uuid] : [];
  });
  return { roles: to.filter(isRole), ids, emails: to.filter((text) => text.includes("@")) };
}

function isRole(text: string): boolean {
  return MEMBER_ROLES.some((role) => role === text);
}

/** Returns whether a recipient that is saved in a rule can be a member. One with values of the event is not known yet. */
export function isRecipient(text: string): boolean {
  return text.includes("${") || text.includes("@") || isRole(text) || parseId(text)?.prefix === "mem";
}

function composer({ db, baseUrl }: NotificationsDeps): MailComposer {
  return async (mail) => {
    const member = await mailRecipient(db.query, mail, "notifications");
    if (member === undefined) return { skipped: "The member has left, or does not want this e-mail." };
    const place = { bucket: mail.bucket, tag: mail.tag };
    const own = { memberId: member.id, unread: true, since: factsOf(mail)["since"] as Uuid };
    const unread = await db.at(
      place.bucket,
      async () => await store.listNotifications(db.query, place, own, { limit: MAX_MAILED + 1 }),
    );
    const [newest] = unread;
    if (newest === undefined) return { skipped: "The member has read the notification, or it was erased." };
    const shown = unread.slice(0, MAX_MAILED).map(({ rule_name: rule, message }) => `${rule}:\n${message}`);
    const isMore = unread.length > MAX_MAILED;
    return {
      to: member.email,
      subject:
        unread.length === 1 ? `${newest.rule_name}: ${newest.message}` : `${newest.rule_name} and other notifications`,
      blocks: [
        ...shown,
        ...(isMore ? ["There are more notifications. GET /v1/notifications lists all."] : []),
        {
          label: "The rule in Junction",
          url: `${baseUrl}/rules/${wireId("rule", tagOf(place.tag, "live"), newest.rule_id)}`,
        },
      ],
    };
  };
}

function notificationView(scope: Scope, row: NotificationRow) {
  return {
    id: wireId("ntf", scope.tag, row.id),
    object: "notification" as const,
    member_id: memberWireId(scope, row.member_id),
    rule_id: wireId("rule", tagOf(scope.tag, "live"), row.rule_id),
    rule_name: row.rule_name,
    event_id: wireId("evt", scope.tag, row.event_id),
    contact_id: row.contact_id === null ? null : wireId("con", scope.tag, row.contact_id),
    message: row.message,
    read_at: row.read_at === null ? null : toRfc3339(fromDate(row.read_at)),
    ...scopeFields(scope),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

async function* readOf(db: Db, scope: Scope, contactIds: readonly Uuid[]): AsyncGenerator<object> {
  let after: Uuid | undefined;
  let count: number;
  do {
    const rows = await store.notificationsOfContacts(db.query, scope, contactIds, { after, limit: EXPORT_STEP });
    for (const row of rows) yield notificationView(scope, row);
    after = rows.at(-1)?.id;
    count = rows.length;
  } while (count === EXPORT_STEP);
}
