import { sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

/** Returns true once for each hash, so that a state or a logout token is used once. */
export async function takeOnce(query: Query, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const row = await query
    .insertInto("oidc_use")
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning("hash")
    .executeTakeFirst();
  return row !== undefined;
}

export async function personOfSubject(query: Query, issuer: string, subject: string): Promise<Uuid | undefined> {
  const row = await query
    .selectFrom("person_identity")
    .select("person_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.person_id;
}

export async function subjectOf(query: Query, issuer: string, personId: Uuid): Promise<string | undefined> {
  const row = await query
    .selectFrom("person_identity")
    .select("subject")
    .where("issuer", "=", issuer)
    .where("person_id", "=", personId)
    .executeTakeFirst();
  return row?.subject;
}

/** Returns false if the subject or the person has an identity of the issuer. */
export async function insertIdentity(
  tx: Tx,
  identity: { issuer: string; subject: string; person_id: Uuid; created_at: Date },
): Promise<boolean> {
  const row = await tx.query
    .insertInto("person_identity")
    .values(identity)
    .onConflict((conflict) => conflict.doNothing())
    .returning("person_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the number of identities that the person had. */
export async function deleteIdentities(tx: Tx, personId: Uuid): Promise<number> {
  const rows = await tx.query
    .deleteFrom("person_identity")
    .where("person_id", "=", personId)
    .returning("issuer")
    .execute();
  return rows.length;
}

export interface ManagedWorkspace {
  readonly id: Uuid;
  readonly tag: Tag;
}

/** Returns the operator's workspace, in which groups set roles. Undefined if it does not exist or was closed. */
export async function managedWorkspace(query: Query): Promise<ManagedWorkspace | undefined> {
  return await query
    .selectFrom("workspace")
    .select(["id", "tag"])
    .where("is_operators", "=", true)
    .where("closed_at", "is", null)
    .executeTakeFirst();
}

export interface Membership {
  readonly id: Uuid;
  readonly role: string;
  readonly by_groups: string | null;
  readonly removed_at: Date | null;
}

/** Returns the person's membership, or the one that ended last. */
export async function lastMembership(query: Query, workspaceId: Uuid, personId: Uuid): Promise<Membership | undefined> {
  return await query
    .selectFrom("member")
    .select(["id", "role", "by_groups", "removed_at"])
    .where("workspace_id", "=", workspaceId)
    .where("person_id", "=", personId)
    .orderBy(sql`removed_at desc nulls first`)
    .limit(1)
    .executeTakeFirst();
}

export async function markByGroups(tx: Tx, memberId: Uuid, how: "set" | "removed"): Promise<void> {
  await tx.query.updateTable("member").set({ by_groups: how }).where("id", "=", memberId).execute();
}

/** Returns the hash of the newest open invitation of an address, first of one to the operator's workspace. */
export async function newestInvitation(query: Query, email: string, now: Date): Promise<Buffer | undefined> {
  const row = await query
    .selectFrom("invitation as i")
    .innerJoin("workspace as w", "w.id", "i.workspace_id")
    .select("i.token_hash")
    .where(({ fn }) => fn("lower", ["i.email"]), "=", sql<string>`lower(${email})`)
    .where("i.accepted_at", "is", null)
    .where("i.revoked_at", "is", null)
    .where("i.expires_at", ">", now)
    .orderBy("w.is_operators", "desc")
    .orderBy("i.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.token_hash;
}

/** Returns the person of an open session. */
export async function personOfSession(query: Query, tokenHash: Buffer, now: Date): Promise<Uuid | undefined> {
  const row = await query
    .selectFrom("session")
    .select("person_id")
    .where("token_hash", "=", tokenHash)
    .where("ended_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row?.person_id;
}

/**
 * Ends the sessions that the issuer opened for a subject, for one of its own sessions, or for both. Returns their
 * people.
 */
export async function endIssuedSessions(
  tx: Tx,
  { subject, sid }: { readonly subject: string | null; readonly sid: string | null },
  now: Date,
): Promise<readonly Uuid[]> {
  const open = tx.query
    .updateTable("session")
    .set({ ended_at: now })
    .where("ended_at", "is", null)
    .where(({ eb, or, and }) => {
      if (sid === null) return eb("oidc_subject", "=", subject);
      if (subject === null) return eb("oidc_sid", "=", sid);
      // An issuer may send its session's id with the logout alone.
      return and([eb("oidc_subject", "=", subject), or([eb("oidc_sid", "=", sid), eb("oidc_sid", "is", null)])]);
    });
  const rows = await open.returning("person_id").execute();
  return [...new Set(rows.map((row) => row.person_id))];
}
