import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query } from "../../platform/db/db.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** The endpoint of a client's subscription. */
export interface SubscriptionRow extends Pick<EndpointRow, "bucket" | "tag" | "id" | "workspace_id"> {
  readonly subscriber_key_id: Uuid;
  readonly ends_at: Date;
}

/** Reads a small index: an installation has few subscriptions. */
const OPEN: HotStatement = {
  name: "endpoint_subscriptions",
  text: `select e.bucket, e.tag, e.id, e.workspace_id, e.subscriber_key_id, e.ends_at from generate_series(0, 63) b,
    lateral (select * from endpoint where bucket = b and subscriber_key_id is not null and deleted_at is null) e`,
};

/** Returns the subscriptions of all workspaces. */
export async function openSubscriptions(db: Db): Promise<SubscriptionRow[]> {
  return await db.onEachShard(async () => await db.hot<SubscriptionRow & Record<string, unknown>>(OPEN, []));
}

/** Counts the subscriptions of a key, up to `most`. */
export async function countSubscriptions(query: Query, place: TenantKey, keyId: Uuid, most: number): Promise<number> {
  const rows = await query
    .selectFrom("endpoint")
    .select("id")
    .$call(ofTenant(place))
    .where("subscriber_key_id", "=", keyId)
    .where("deleted_at", "is", null)
    .limit(most)
    .execute();
  return rows.length;
}

export async function isSubscriptionOf(query: Query, place: TenantKey, id: Uuid, keyId: Uuid): Promise<boolean> {
  const row = await query
    .selectFrom("endpoint")
    .select("id")
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("subscriber_key_id", "=", keyId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}
