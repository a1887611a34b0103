import type { Db, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type ClientRow = Selectable<Tables["oauth_client"]>;

export async function findClient(query: Query, id: string): Promise<ClientRow | undefined> {
  return await query.selectFrom("oauth_client").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Adds a client. Of the clients that were never used, only the newest `most` stay. */
export async function insertClient(db: Db, client: Omit<ClientRow, "used_at">, most: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query.insertInto("oauth_client").values(client).execute();
    const older = tx.query
      .selectFrom("oauth_client")
      .select("id")
      .where("used_at", "is", null)
      .orderBy("created_at", "desc")
      .offset(most);
    const ids = (await older.execute()).map(({ id }) => id);
    if (ids.length > 0) await tx.query.deleteFrom("oauth_client").where("id", "in", ids).execute();
  });
}

export async function markClientUsed(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query.updateTable("oauth_client").set({ used_at: now }).where("id", "=", id).execute();
}

/** Deletes clients without a consent that were created before `unusedSince`, and those whose last consent is older than `usedSince`. */
export async function deleteIdleClients(query: Query, before: { unusedSince: Date; usedSince: Date }): Promise<void> {
  await query
    .deleteFrom("oauth_client")
    .where(({ and, or, eb }) =>
      or([
        and([eb("used_at", "is", null), eb("created_at", "<", before.unusedSince)]),
        eb("used_at", "<", before.usedSince),
      ]),
    )
    .execute();
}
