import type { Query } from "../../platform/db/db.ts";
import type { EndpointKey } from "./endpoints.store.ts";

/** Creates the empty log of a pull endpoint. */
export async function insertLog(query: Query, { bucket, tag, id }: EndpointKey): Promise<void> {
  await query.insertInto("pull_log").values({ bucket, tag, endpoint_id: id }).execute();
}
