import type { Db, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type ClientRow = Selectable<Tables["oauth_client"]>;

export async function findClient(query: Query, id: string): Promise<ClientRow | undefined> {
  return await query.selectFrom("oauth_client").selectAll().where("id", "=", id).executeTakeFirst();
}

export interface MostClients {
  readonly ofNetwork: number;
  readonly ofAll: number;
  /** Clients of other networks that are younger are never deleted for a new one. */
  readonly keptSince: Date;
  /** The limit with the younger ones. */
  readonly inTotal: number;
}

/**
 * Adds a client. Of the clients without a consent, the oldest of the same network are deleted first, then those of all.
 * Returns false if there is no room: too many others are younger than `keptSince`.
 */
export async function insertClient(db: Db, client: Omit<ClientRow, "used_at">, most: MostClients): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const own = unused(tx.query)
      .where("network", "=", client.network)
      .offset(most.ofNetwork - 1);
    await deleteClients(tx, await own.execute());
    const { n } = await tx.query
      .selectFrom("oauth_client")
      .select(({ fn }) => fn.countAll<string>().as("n"))
      .where("used_at", "is", null)
      .executeTakeFirstOrThrow();
    const surplus = Math.max(0, Number(n) - most.ofAll + 1);
    const old = surplus > 0 ? await oldest(tx, { before: most.keptSince, limit: surplus }) : [];
    if (Number(n) - old.length >= most.inTotal) return false;
    await deleteClients(tx, old);
    await tx.query.insertInto("oauth_client").values(client).execute();
    return true;
  });
}

function unused(query: Query) {
  return query.selectFrom("oauth_client").select("id").where("used_at", "is", null).orderBy("created_at", "desc");
}

async function oldest(tx: Tx, { before, limit }: { readonly before: Date; readonly limit: number }) {
  return await tx.query
    .selectFrom("oauth_client")
    .select("id")
    .where("used_at", "is", null)
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(limit)
    .execute();
}

async function deleteClients(tx: Tx, clients: readonly { readonly id: string }[]): Promise<void> {
  const ids = clients.map(({ id }) => id);
  if (ids.length > 0) await tx.query.deleteFrom("oauth_client").where("id", "in", ids).execute();
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
