import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type ChannelRow = Selectable<Tables["approval_channel"]>;

export async function insertChannel(tx: Tx, row: Omit<ChannelRow, "created_at" | "updated_at">): Promise<ChannelRow> {
  return await tx.query.insertInto("approval_channel").values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateChannel(
  tx: Tx,
  place: TenantKey,
  id: Uuid,
  change: Partial<ChannelRow>,
): Promise<ChannelRow | undefined> {
  return await tx.query
    .updateTable("approval_channel")
    .set({ ...change, updated_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns whether there was such a channel. */
export async function deleteChannel(tx: Tx, place: TenantKey, id: Uuid): Promise<boolean> {
  const gone = await tx.query
    .deleteFrom("approval_channel")
    .$call(ofTenant(place))
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return gone !== undefined;
}

export async function findChannel(query: Query, place: TenantKey, id: Uuid): Promise<ChannelRow | undefined> {
  return await query
    .selectFrom("approval_channel")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Locks the channel until the transaction ends. */
export async function holdChannel(tx: Tx, place: TenantKey, id: Uuid): Promise<ChannelRow | undefined> {
  return await tx.query
    .selectFrom("approval_channel")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns the newest channels first. */
export async function listChannels(
  query: Query,
  place: TenantKey,
  { before, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<ChannelRow[]> {
  const rows = query
    .selectFrom("approval_channel")
    .selectAll()
    .$call(ofTenant(place))
    .orderBy("id", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

/** Returns the channels that announce proposals. Runs in the transaction of each proposal. */
export async function activeChannels(query: Query, place: TenantKey): Promise<ChannelRow[]> {
  return await query
    .selectFrom("approval_channel")
    .selectAll()
    .$call(ofTenant(place))
    .where("active", "=", true)
    .orderBy("id")
    .execute();
}
