import { sql } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";

export interface OrderedKey extends TenantKey {
  readonly endpointId: Uuid;
}

export function orderedKeyOf({ bucket, tag, id }: Pick<EndpointRow, "bucket" | "tag" | "id">): OrderedKey {
  return { bucket, tag, endpointId: id };
}

/** Makes an endpoint ordered. Its row stays when it is no longer ordered, because its lanes still hold deliveries. */
export async function orderEndpoint(tx: Tx, { bucket, tag, endpointId }: OrderedKey): Promise<void> {
  await tx.query
    .insertInto("ordered_endpoint")
    .values({ bucket, tag, endpoint_id: endpointId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Locks the lanes of endpoints until the transaction ends: of those that are named, or of all in the environment. Take it before the rows of
 * deliveries. The next statement sees what was committed until then.
 */
export async function lockLanes(tx: Tx, { bucket, tag }: TenantKey, endpoints: readonly Uuid[] | "all"): Promise<void> {
  let rows = tx.query
    .selectFrom("ordered_endpoint")
    .select("endpoint_id")
    .where("bucket", "=", bucket)
    .where("tag", "=", tag)
    .orderBy("endpoint_id")
    .forUpdate();
  if (endpoints !== "all") rows = rows.where("endpoint_id", "in", [...endpoints]);
  await rows.execute();
}

/** Notes that people are informed of blocked lanes. Returns false if they were informed before. */
export async function noticeBlocked(tx: Tx, { bucket, tag, endpointId }: OrderedKey): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable("ordered_endpoint")
    .set({ noticed_at: sql<Date>`now()` })
    .where("bucket", "=", bucket)
    .where("tag", "=", tag)
    .where("endpoint_id", "=", endpointId)
    .where("noticed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
