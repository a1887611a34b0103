import { ofTenant, sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export type ChannelRow = Selectable<Tables["channel"]>;
type ChannelKey = Pick<ChannelRow, "workspace_id" | "id">;

/** Creates the channel unless it exists. Returns the existing or new row. */
export async function insertChannel(
  tx: Tx,
  channel: Omit<ChannelRow, "previous_secret_sealed" | "previous_expires_at">,
): Promise<ChannelRow> {
  return await tx.query
    .insertInto("channel")
    .values(channel)
    .onConflict((on) => on.columns(["workspace_id", "id"]).doUpdateSet((eb) => ({ owner: eb.ref("excluded.owner") })))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findChannel(query: Query, key: ChannelKey): Promise<ChannelRow | undefined> {
  return await query
    .selectFrom("channel")
    .selectAll()
    .where("workspace_id", "=", key.workspace_id)
    .where("id", "=", key.id)
    .executeTakeFirst();
}

const SECRETS: HotStatement = {
  name: "channel_secrets",
  text: "select id, owner, secret_sealed, previous_secret_sealed from channel where workspace_id = $1",
};

/** Returns the secrets that sign everything that a workspace's rules and workflows send. */
export async function channelSecrets(
  reader: HotReader,
  workspaceId: Uuid,
): Promise<Pick<ChannelRow, "id" | "owner" | "secret_sealed" | "previous_secret_sealed">[]> {
  return await reader.hot<ChannelRow & Record<string, unknown>>(SECRETS, [workspaceId]);
}

/** Returns the channel, and locks it until the transaction ends. */
export async function holdChannel(tx: Tx, key: ChannelKey): Promise<ChannelRow | undefined> {
  return await tx.query
    .selectFrom("channel")
    .selectAll()
    .where("workspace_id", "=", key.workspace_id)
    .where("id", "=", key.id)
    .forUpdate()
    .executeTakeFirst();
}

export async function changeChannel(
  tx: Tx,
  key: ChannelKey,
  change: Pick<ChannelRow, "secret_sealed" | "previous_secret_sealed" | "previous_expires_at">,
): Promise<void> {
  await tx.query
    .updateTable("channel")
    .set(change)
    .where("workspace_id", "=", key.workspace_id)
    .where("id", "=", key.id)
    .execute();
}

interface EndpointClaim {
  readonly bucket: number;
  readonly tag: Tag;
  readonly channelId: Uuid;
  readonly fingerprint: Buffer;
}

/**
 * Returns the channel's endpoint for a URL with its headers. Returns `proposed` if there was none, and the caller must
 * create it.
 */
export async function claimEndpoint(tx: Tx, place: EndpointClaim, proposed: Uuid): Promise<Uuid> {
  const { bucket, tag, channelId, fingerprint } = place;
  const known = await tx.query
    .selectFrom("channel_endpoint")
    .select("endpoint_id")
    .$call(ofTenant(place))
    .where("channel_id", "=", channelId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  if (known !== undefined) return known.endpoint_id;
  // The statement waits for a transaction that is creating the same endpoint at this moment.
  const { rows } = await sql<{
    endpoint_id: Uuid;
  }>`insert into channel_endpoint (bucket, tag, channel_id, fingerprint, endpoint_id)
    values (${bucket}, ${tag}, ${channelId}, ${fingerprint}, ${proposed})
    on conflict (bucket, tag, channel_id, fingerprint) do update set endpoint_id = channel_endpoint.endpoint_id
    returning endpoint_id`.execute(tx.query);
  return rows[0]?.endpoint_id ?? proposed;
}
