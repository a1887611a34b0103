import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Tx } from "../../platform/db/db.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** The endpoint of a client's subscription. */
export interface SubscriptionRow extends Pick<
  EndpointRow,
  "bucket" | "tag" | "id" | "workspace_id" | "subscriber_lineage_id"
> {
  readonly subscriber_key_id: Uuid;
  readonly ends_at: Date;
}

/** Reads a small index: an installation has few subscriptions. */
const OPEN: HotStatement = {
  name: "endpoint_subscriptions",
  text: `select e.bucket, e.tag, e.id, e.workspace_id, e.subscriber_key_id, e.subscriber_lineage_id, e.ends_at from generate_series(0, 63) b,
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
    .where("subscription_id", "is", null)
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
    .where("subscription_id", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** A subscription that its client knows by an id of its own. */
export type ClientSubscriptionRow = EndpointRow & { readonly subscription_id: string };

/** Returns the open subscriptions of a client: the keys of one lineage. */
export async function subscriptionsOfClient(
  query: Query,
  place: TenantKey,
  lineageId: Uuid,
): Promise<ClientSubscriptionRow[]> {
  const rows = await query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("subscriber_lineage_id", "=", lineageId)
    .where("subscription_id", "is not", null)
    .where("deleted_at", "is", null)
    .execute();
  return rows as ClientSubscriptionRow[];
}

/** Returns the open subscription with this id, and locks it until the transaction ends. */
export async function holdSubscription(
  tx: Tx,
  place: TenantKey,
  subscriptionId: string,
): Promise<EndpointRow | undefined> {
  return await tx.query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("subscription_id", "=", subscriptionId)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns when the receiver at this address last repeated a challenge of this client, also for a subscription that has ended. */
export async function lastVerified(
  query: Query,
  place: TenantKey,
  { lineageId, url }: { readonly lineageId: Uuid; readonly url: string },
): Promise<Date | null> {
  const row = await query
    .selectFrom("endpoint")
    .select((eb) => eb.fn.max("callback_verified_at").as("at"))
    .$call(ofTenant(place))
    .where("subscriber_lineage_id", "=", lineageId)
    .where("url", "=", url)
    .executeTakeFirst();
  return row?.at ?? null;
}
