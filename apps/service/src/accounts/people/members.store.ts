import { newestFirst, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export interface MemberRow {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly person_id: Uuid;
  readonly role: string;
  readonly permissions: string[];
  readonly created_at: Date;
  readonly email: string;
  readonly name: string;
  readonly totp_active: boolean;
  readonly passkey_active: boolean;
}

/** Selects members that are not removed. All reads share this builder. */
function present(query: Query) {
  return query
    .selectFrom("member as m")
    .innerJoin("person as p", "p.id", "m.person_id")
    .select(["m.id", "m.workspace_id", "m.person_id", "m.role", "m.permissions", "m.created_at", "p.email", "p.name"])
    .select(sql<boolean>`p.totp_sealed is not null`.as("totp_active"))
    .select(sql<boolean>`exists (select from passkey k where k.person_id = p.id)`.as("passkey_active"))
    .where("m.removed_at", "is", null);
}

export async function insertMember(
  tx: Tx,
  member: { id: Uuid; workspace_id: Uuid; person_id: Uuid; role: string },
): Promise<void> {
  await tx.query.insertInto("member").values(member).execute();
}

export async function listMembers(
  query: Query,
  workspaceId: Uuid,
  before: Uuid | undefined,
  limit: number,
): Promise<MemberRow[]> {
  const all = present(query).where("m.workspace_id", "=", workspaceId);
  return await all.$call(newestFirst({ before }, "m.id")).limit(limit).execute();
}

/** Returns a member that does not change until the transaction ends. */
export async function holdMember(tx: Tx, id: Uuid): Promise<{ readonly recovered_at: Date | null } | undefined> {
  return await tx.query.selectFrom("member").select("recovered_at").where("id", "=", id).forShare().executeTakeFirst();
}

export async function findMember(query: Query, workspaceId: Uuid, id: Uuid): Promise<MemberRow | undefined> {
  return await present(query).where("m.workspace_id", "=", workspaceId).where("m.id", "=", id).executeTakeFirst();
}

export async function memberByEmail(query: Query, workspaceId: Uuid, email: string): Promise<MemberRow | undefined> {
  return await present(query)
    .where("m.workspace_id", "=", workspaceId)
    .where(({ fn }) => fn("lower", ["p.email"]), "=", sql<string>`lower(${email})`)
    .executeTakeFirst();
}

/** True if the workspace `w` accepts passwords. */
const ACCEPTS_PASSWORDS = sql<boolean>`coalesce(w.settings ->> 'password_sign_in', 'true') = 'true'`.as(
  "accepts_passwords",
);

export interface MembershipRow {
  readonly member_id: Uuid;
  readonly role: string;
  readonly workspace_id: Uuid;
  readonly workspace_name: string;
  readonly tag: Tag;
  readonly accepts_passwords: boolean;
}

/** Returns the workspaces of a person, the one of the last sign-in first. */
export async function membershipsOf(query: Query, personId: Uuid): Promise<MembershipRow[]> {
  return await query
    .selectFrom("member as m")
    .innerJoin("workspace as w", "w.id", "m.workspace_id")
    .select(["m.id as member_id", "m.role", "w.id as workspace_id", "w.name as workspace_name", "w.tag"])
    .select(ACCEPTS_PASSWORDS)
    .where("m.person_id", "=", personId)
    .where("m.removed_at", "is", null)
    .where("w.closed_at", "is", null)
    .orderBy(
      (eb) =>
        eb
          .selectFrom("session as s")
          .select(({ fn }) => fn.max("s.created_at").as("last"))
          .whereRef("s.person_id", "=", "m.person_id")
          .whereRef("s.workspace_id", "=", "m.workspace_id"),
      (order) => order.desc().nullsLast(),
    )
    .orderBy("m.id")
    .execute();
}

/** Serializes changes of a workspace's members, so that two owners who demote each other do not both succeed. */
export async function lockMembers(tx: Tx, workspaceId: Uuid): Promise<void> {
  await tx.query.selectFrom("workspace").select("id").where("id", "=", workspaceId).forUpdate().execute();
}

export async function otherOwners(tx: Tx, workspaceId: Uuid, memberId: Uuid): Promise<boolean> {
  const row = await tx.query
    .selectFrom("member")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("role", "=", "owner")
    .where("removed_at", "is", null)
    .where("id", "<>", memberId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateMember(
  tx: Tx,
  id: Uuid,
  change: { role?: string | undefined; permissions?: string[] | undefined },
): Promise<void> {
  await tx.query.updateTable("member").set(change).where("id", "=", id).execute();
}

/** Ends the member's connected apps. */
export async function revokeApps(tx: Tx, memberId: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("granted_by", "=", memberId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Removes the member, ends the person's sessions in this workspace and revokes the member's keys and apps. */
export async function removeMember(tx: Tx, member: MemberRow, now: Date): Promise<void> {
  await tx.query.updateTable("member").set({ removed_at: now }).where("id", "=", member.id).execute();
  await tx.query
    .updateTable("session")
    .set({ ended_at: now })
    .where("person_id", "=", member.person_id)
    .where("workspace_id", "=", member.workspace_id)
    .where("ended_at", "is", null)
    .execute();
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("member_id", "=", member.id)
    .where("revoked_at", "is", null)
    .execute();
  await revokeApps(tx, member.id, now);
}

export type InvitationRow = Selectable<Tables["invitation"]>;

export interface NewInvitation {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly email: string;
  readonly role: string;
  readonly token_hash: Buffer;
  readonly invited_by: Uuid | null;
  readonly invited_with: Uuid | null;
  readonly expires_at: Date;
}

/** Inserts an invitation and revokes earlier ones for the same e-mail address. */
export async function insertInvitation(tx: Tx, invitation: NewInvitation, now: Date): Promise<InvitationRow> {
  await tx.query
    .updateTable("invitation")
    .set({ revoked_at: now })
    .where("workspace_id", "=", invitation.workspace_id)
    .where(({ fn }) => fn("lower", ["email"]), "=", sql<string>`lower(${invitation.email})`)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .execute();
  return await tx.query.insertInto("invitation").values(invitation).returningAll().executeTakeFirstOrThrow();
}

export async function openInvitations(
  query: Query,
  workspaceId: Uuid,
  page: { now: Date; before: Uuid | undefined; limit: number },
): Promise<InvitationRow[]> {
  return await query
    .selectFrom("invitation")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", page.now)
    .$call(newestFirst(page))
    .limit(page.limit)
    .execute();
}

export async function findOpenInvitation(
  query: Query,
  workspaceId: Uuid,
  { id, now }: { readonly id: Uuid; readonly now: Date },
): Promise<InvitationRow | undefined> {
  return await query
    .selectFrom("invitation")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

export async function revokeInvitation(tx: Tx, id: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("invitation")
    .set({ revoked_at: now })
    .where("id", "=", id)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .execute();
}

/** Revokes a member's invitations, except those for the roles in `kept`, which the member may still assign. */
export async function revokeInvitationsBy(tx: Tx, memberId: Uuid, kept: readonly string[], now: Date): Promise<void> {
  const open = tx.query
    .updateTable("invitation")
    .set({ revoked_at: now })
    .where("invited_by", "=", memberId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null);
  await (kept.length === 0 ? open : open.where("role", "not in", kept)).execute();
}

export type OpenInvitation = InvitationRow & {
  readonly workspace_name: string;
  readonly tag: Tag;
  readonly accepts_passwords: boolean;
};

/** Returns the open invitation of a token, with its workspace. */
export async function invitationByToken(query: Query, hash: Buffer, now: Date): Promise<OpenInvitation | undefined> {
  return await query
    .selectFrom("invitation as i")
    .innerJoin("workspace as w", "w.id", "i.workspace_id")
    .selectAll("i")
    .select(["w.name as workspace_name", "w.tag", ACCEPTS_PASSWORDS])
    .where("i.token_hash", "=", hash)
    .where("i.accepted_at", "is", null)
    .where("i.revoked_at", "is", null)
    .where("i.expires_at", ">", now)
    .where("w.closed_at", "is", null)
    .executeTakeFirst();
}

/** Marks the invitation as accepted. Returns true for only one of concurrent calls. */
export async function useInvitation(tx: Tx, id: Uuid, now: Date): Promise<boolean> {
  const row = await tx.query
    .updateTable("invitation")
    .set({ accepted_at: now })
    .where("id", "=", id)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function personOfMember(query: Query, memberId: Uuid): Promise<Uuid> {
  const row = await query.selectFrom("member").select("person_id").where("id", "=", memberId).executeTakeFirstOrThrow();
  return row.person_id;
}
