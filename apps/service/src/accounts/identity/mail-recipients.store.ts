import { sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

/** The kinds of e-mail that a member can turn off. */
export const MAIL_KINDS = ["notifications", "approvals", "endpoint_failures"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A member whom the service can notify. */
export interface Reachable {
  readonly id: Uuid;
  readonly person_id: Uuid;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly mail_off: readonly string[];
}

/** The chosen members: by role, by id, or by the e-mail address of their account. */
export interface Choice {
  readonly roles?: readonly string[];
  readonly ids?: readonly Uuid[];
  readonly emails?: readonly string[];
}

/** A message reaches at most this many members. */
const MOST = 200;

/** Returns the chosen members that are still in the workspace. */
export async function reachableMembers(query: Query, workspaceId: Uuid, choice: Choice): Promise<Reachable[]> {
  const { roles = [], ids = [], emails = [] } = choice;
  return await query
    .selectFrom("member as m")
    .innerJoin("person as p", "p.id", "m.person_id")
    .select(["m.id", "m.person_id", "m.role", "m.mail_off", "p.email", "p.name"])
    .where("m.workspace_id", "=", workspaceId)
    .where("m.removed_at", "is", null)
    .where(
      sql<boolean>`(m.role = any(${roles}::text[]) or m.id = any(${ids}::uuid[])
        or lower(p.email) in (select lower(e) from unnest(${emails}::text[]) e))`,
    )
    .orderBy("m.id")
    .limit(MOST)
    .execute();
}

/** Returns the ids of the members with these roles. It reads no accounts, so that a tenant's transaction can. */
export async function memberIdsOf(query: Query, workspaceId: Uuid, roles: readonly string[]): Promise<readonly Uuid[]> {
  const rows = await query
    .selectFrom("member")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("removed_at", "is", null)
    .where("role", "in", roles)
    .orderBy("id")
    .limit(MOST)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns whether a member is still in the workspace. It reads no accounts, so that a tenant's transaction can. */
export async function isMember(query: Query, workspaceId: Uuid, id: Uuid): Promise<boolean> {
  const members = query.selectFrom("member").select("id").where("workspace_id", "=", workspaceId);
  return (await members.where("id", "=", id).where("removed_at", "is", null).executeTakeFirst()) !== undefined;
}

/**
 * Returns the member that a mail is for, when it is sent. Undefined if the member has left, or has turned this kind of
 * mail off.
 */
export async function mailRecipient(
  query: Query,
  {
    workspace_id: workspaceId,
    member_id: memberId,
  }: { readonly workspace_id: Uuid | null; readonly member_id: Uuid | null },
  kind: MailKind,
): Promise<Reachable | undefined> {
  if (workspaceId === null || memberId === null) return undefined;
  const [member] = await reachableMembers(query, workspaceId, { ids: [memberId] });
  return member?.mail_off.includes(kind) === false ? member : undefined;
}

/** Returns the kinds of e-mail that the member has turned off. Undefined if the member has left. */
export async function mailOff(query: Query, workspaceId: Uuid, memberId: Uuid): Promise<readonly string[] | undefined> {
  const [member] = await reachableMembers(query, workspaceId, { ids: [memberId] });
  return member?.mail_off;
}

export async function setMailOff(tx: Tx, memberId: Uuid, kinds: readonly MailKind[]): Promise<void> {
  await tx.query
    .updateTable("member")
    .set({ mail_off: [...kinds] })
    .where("id", "=", memberId)
    .execute();
}
