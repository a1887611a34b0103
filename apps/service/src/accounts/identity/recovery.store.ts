import { sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

/** A connected app or a personal key of a person. */
export interface Minted {
  readonly kind: "app" | "key";
  readonly name: string;
  readonly workspace: string;
}

/** Returns the connected apps and the personal keys of a person that still work, newest first. */
export async function mintedBy(query: Query, personId: Uuid, now: Date): Promise<Minted[]> {
  const rows = await query
    .selectFrom("api_key as k")
    .innerJoin("member as m", (on) =>
      on.on(({ eb, or }) => or([eb("m.id", "=", eb.ref("k.member_id")), eb("m.id", "=", eb.ref("k.granted_by"))])),
    )
    .innerJoin("workspace as w", "w.id", "k.workspace_id")
    .select(["k.id", "k.name", "k.granted_by", "w.name as workspace"])
    .where("m.person_id", "=", personId)
    .where("m.removed_at", "is", null)
    .where("k.revoked_at", "is", null)
    .where(({ eb, or }) => or([eb("k.expires_at", "is", null), eb("k.expires_at", ">", now)]))
    .orderBy("k.id", "desc")
    .execute();
  return rows.map(({ name, workspace, granted_by: granter }) => ({
    kind: granter === null ? "key" : "app",
    name,
    workspace,
  }));
}

/** Ends the connected apps, the personal keys and the standing approvals of a person. Returns the apps and keys. */
export async function endKeysOf(tx: Tx, personId: Uuid, now: Date): Promise<Minted[]> {
  const ended: Minted[] = [];
  const members = tx.query.selectFrom("member").select("id").where("person_id", "=", personId);
  // A key that was rolling itself when it ended has made another one.
  for (let isMore = true; isMore;) {
    ended.push(...(await mintedBy(tx.query, personId, now)));
    const { numUpdatedRows } = await tx.query
      .updateTable("api_key")
      .set({ revoked_at: now })
      .where(({ eb, or }) => or([eb("member_id", "in", members), eb("granted_by", "in", members)]))
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    isMore = numUpdatedRows > 0n;
  }
  await tx.query.updateTable("member").set({ grants_ended_at: now }).where("person_id", "=", personId).execute();
  return ended;
}

/** Ends the open invitations and the reset links that a person made for others. */
export async function endOffersOf(tx: Tx, personId: Uuid, now: Date): Promise<void> {
  const members = tx.query.selectFrom("member").select("id").where("person_id", "=", personId);
  await tx.query
    .updateTable("invitation")
    .set({ revoked_at: now })
    .where("invited_by", "in", members)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .execute();
  await tx.query
    .updateTable("reset_link")
    .set({ used_at: now })
    .where("made_by", "in", members)
    .where("used_at", "is", null)
    .execute();
}

/**
 * Ends what works next to a person's own keys: links of Slack accounts, which are in other shards and are compared with this
 * time, and the portal sessions that the person opened in the console.
 */
export async function markRecovered(tx: Tx, personId: Uuid, now: Date): Promise<void> {
  await tx.query.updateTable("member").set({ recovered_at: now }).where("person_id", "=", personId).execute();
  const members = tx.query.selectFrom("member").select("id").where("person_id", "=", personId);
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("maker_member_id", "in", members)
    .where("maker_lineage_id", "is", null)
    .where("revoked_at", "is", null)
    .execute();
}

/** Returns the keys of workspaces that a person was shown and that still work, newest first. Programs use them. */
export async function sharedKeysOf(query: Query, personId: Uuid, now: Date): Promise<Minted[]> {
  const rows = await query
    .selectFrom("api_key as k")
    .innerJoin("member as m", "m.workspace_id", "k.workspace_id")
    .innerJoin("workspace as w", "w.id", "k.workspace_id")
    .select(["k.id", "k.name", "w.name as workspace"])
    .where("m.person_id", "=", personId)
    .where("m.removed_at", "is", null)
    .where("k.member_id", "is", null)
    .where("k.granted_by", "is", null)
    .where("k.portal_session_id", "is", null)
    .where(sql<boolean>`k.made_by @> array[${personId}]::uuid[]`)
    .where("k.revoked_at", "is", null)
    .where(({ eb, or }) => or([eb("k.expires_at", "is", null), eb("k.expires_at", ">", now)]))
    .orderBy("k.id", "desc")
    .execute();
  return rows.map(({ name, workspace }) => ({ kind: "key", name, workspace }));
}
