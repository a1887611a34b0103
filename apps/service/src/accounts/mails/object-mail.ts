import type { Db, Query, Tx } from "../../platform/db/db.ts";
import { environmentOf } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { factsOf } from "../../platform/mail/mail.ts";
import type { ComposedMail, Mail, MailComposer, MailPurpose, MailRow, NewMail } from "../../platform/mail/mail.ts";
import { mailRecipient, reachableMembers } from "../identity/mail-recipients.store.ts";
import { ADMIN_ROLES } from "../callers/roles.ts";
import { tenantContact } from "../identity/tenant-contacts.store.ts";
import { scopeOf } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";

/** Objects that break usually break together, and are one e-mail. */
const DELAY_SECONDS = 60;
const SPACING_SECONDS = 600;
const MAX_SHOWN = 20;

type Facts = Readonly<Record<string, string>>;

/** An object that an e-mail is about. */
export interface MailedObject {
  readonly label: string;
  /** The path of its page in the console. */
  readonly path: string;
}

/** The texts of an e-mail about objects, such as endpoints. */
export interface ObjectWords {
  readonly one: string;
  readonly many: string;
  readonly text: string;
  /** Says why no mail is sent if no object is left. */
  readonly none: string;
  /** The link to all objects. */
  readonly all: MailedObject;
  /** Reads at most `limit` objects as they are now: those of the tenant that the facts name, or all. */
  read(query: Query, scope: Scope, facts: Facts, limit: number): Promise<readonly MailedObject[]>;
}

export interface ObjectMailDeps {
  readonly db: Db;
  readonly baseUrl: string;
  /** Returns the name of a workspace. */
  nameOf(workspaceId: Uuid): Promise<string>;
}

/** The workspace and environment of the object that a mail is about. */
export type MailPlace = Pick<Scope, "bucket" | "workspaceId"> & { readonly tag: Tag };

/** Returns false for a sandbox, which sends no mail. */
export function sendsMail(mail: Mail, { tag }: Pick<MailPlace, "tag">): boolean {
  return mail.isOn && environmentOf(tag) === "live";
}

/** Queues an e-mail for each owner and admin, and for the contact of the object's tenant. */
export async function queueObjectMail(
  mail: Mail,
  tx: Tx,
  scope: MailPlace,
  about: {
    readonly purpose: MailPurpose;
    /** Mails of one digest that still wait become one. */
    readonly digest: string;
    readonly tenant: string | null;
    readonly facts?: Facts;
  },
): Promise<void> {
  const { purpose, digest, tenant, facts = {} } = about;
  const members = await reachableMembers(tx.query, scope.workspaceId, { roles: ADMIN_ROLES });
  const of = (reader: string, more: Pick<NewMail, "memberId" | "facts">): NewMail => ({
    purpose,
    recipient: null,
    ...more,
    digest: { name: `${digest}:${reader}`, delaySeconds: DELAY_SECONDS, spacingSeconds: SPACING_SECONDS },
  });
  const mails = members.map(({ id: memberId }) => of(memberId, { memberId, facts }));
  // The address is read when the mail is sent.
  if (tenant !== null && (await tenantContact(tx.query, scope.tag, tenant)) !== undefined)
    mails.push(of(`tenant:${tenant}`, { memberId: null, facts: { ...facts, tenant } }));
  await mail.queue(tx, scope, mails);
}

/** Writes one e-mail about all objects that `words` reads when it is sent. */
export function objectMail(deps: ObjectMailDeps, words: ObjectWords): MailComposer {
  return async (row) => {
    const { tenant } = factsOf(row);
    return tenant === undefined ? await memberMail(deps, words, row) : await tenantMail(deps, words, row, tenant);
  };
}

async function memberMail({ db, baseUrl }: ObjectMailDeps, words: ObjectWords, row: MailRow): Promise<ComposedMail> {
  const { one, many, text, none, read, all } = words;
  const member = await mailRecipient(db.query, row, "endpoint_failures");
  if (member === undefined || row.workspace_id === null || !ADMIN_ROLES.some((role) => role === member.role))
    return { skipped: "The member has left or is no admin now, or does not want this e-mail." };
  const scope = scopeOf(row.workspace_id, row.tag);
  const found = await db.at(scope.bucket, async () => await read(db.query, scope, factsOf(row), MAX_SHOWN + 1));
  if (found.length === 0) return { skipped: none };
  const linked = ({ label, path }: MailedObject): { label: string; url: string } => ({
    label,
    url: `${baseUrl}${path}`,
  });
  const isMore = found.length > MAX_SHOWN;
  return {
    to: member.email,
    subject: found.length === 1 ? one : many,
    blocks: [
      text,
      ...found.slice(0, MAX_SHOWN).map(linked),
      ...(isMore ? [linked(all)] : []),
      { label: "Turn this e-mail off", url: `${baseUrl}/account` },
    ],
  };
}

/** Writes to a customer of the workspace, who cannot sign in here, about the customer's own objects. */
async function tenantMail(
  { db, nameOf }: ObjectMailDeps,
  { one, many, text, none, read }: ObjectWords,
  row: MailRow,
  tenant: string,
): Promise<ComposedMail> {
  const to = await tenantContact(db.query, row.tag, tenant);
  if (to === undefined || row.workspace_id === null) return { skipped: "The tenant has no contact now." };
  const scope = scopeOf(row.workspace_id, row.tag);
  const found = await db.at(scope.bucket, async () => await read(db.query, scope, factsOf(row), MAX_SHOWN + 1));
  if (found.length === 0) return { skipped: none };
  const name = await nameOf(row.workspace_id);
  const isMore = found.length > MAX_SHOWN;
  return {
    to,
    subject: `${name}: ${found.length === 1 ? one : many}`,
    blocks: [
      text,
      ...found.slice(0, MAX_SHOWN).map(({ label }) => label),
      ...(isMore ? ["There are more."] : []),
      `You get this e-mail because your account at ${name} has webhook endpoints. To change or disable them, sign in there. To stop this e-mail, ask ${name}.`,
    ],
  };
}
