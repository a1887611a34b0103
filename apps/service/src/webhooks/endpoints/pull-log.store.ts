import { sql } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { EndpointKey } from "./endpoints.store.ts";

/** Creates the empty log of a pull endpoint. */
export async function insertLog(query: Query, { bucket, tag, id }: EndpointKey): Promise<void> {
  await query.insertInto("pull_log").values({ bucket, tag, endpoint_id: id }).execute();
}

/** Wakes the pulls of this endpoint that wait on any node, when the transaction is committed. */
export async function wakePulls(tx: Tx, endpointId: Uuid): Promise<void> {
  await sql`select pg_notify('junction_pull', ${endpointId}::text)`.execute(tx.query);
}

/** Returns the condition of a pulled message that no consumer is behind. Stored is `delivered`. The positions are read at most once. */
export const isUnread = ({ bucket, tag }: TenantKey) => sql`(pull_offset is not null and pull_offset >= coalesce(((
  select jsonb_object_agg(c.endpoint_id, c.position) from (select endpoint_id, max(position) as position from pull_consumer
    where bucket = ${bucket} and tag = ${tag} group by endpoint_id) c) ->> endpoint_id::text)::bigint, 0))`;
