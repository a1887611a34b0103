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

/** Ends the connected apps and the personal keys of a person. Returns them. */
export async function endKeysOf(tx: Tx, personId: Uuid, now: Date): Promise<Minted[]> {
  const ended = await mintedBy(tx.query, personId, now);
  const members = tx.query.selectFrom("member").select("id").where("person_id", "=", personId);
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where(({ eb, or }) => or([eb("member_id", "in", members), eb("granted_by", "in", members)]))
    .where("revoked_at", "is", null)
    .execute();
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

/** Links of Slack accounts are in other shards, so that they are compared with this time. */
export async function markRecovered(tx: Tx, personId: Uuid, now: Date): Promise<void> {
  await tx.query.updateTable("member").set({ recovered_at: now }).where("person_id", "=", personId).execute();
}
