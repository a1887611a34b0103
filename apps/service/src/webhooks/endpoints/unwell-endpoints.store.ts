import type { TenantKey } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import type { EndpointRow } from "./endpoints.store.ts";

export type NamedEndpoint = Pick<EndpointRow, "id" | "description" | "url">;

/** Returns the endpoints that the service has disabled. */
export async function disabledEndpoints(query: Query, place: NamedPlace, limit: number): Promise<NamedEndpoint[]> {
  return await namedEndpoints(query, place, limit)
    .where("active", "=", false)
    .where("disabled_reason", "is not", null)
    .execute();
}

/** Returns the ordered endpoints of which a lane has been blocked for an hour. */
export async function blockedEndpoints(query: Query, place: NamedPlace, limit: number): Promise<NamedEndpoint[]> {
  const blocked = sql<boolean>`exists (select from lane l where l.endpoint_id = endpoint.id and l.bucket = endpoint.bucket
    and l.tag = endpoint.tag and l.head_id is not null and l.blocked_at < now() - interval '1 hour')`;
  return await namedEndpoints(query, place, limit).where("ordering_key", "is not", null).where(blocked).execute();
}

/** An environment, or the endpoints of one customer in it. */
interface NamedPlace extends TenantKey {
  readonly tenant?: string | null | undefined;
}

function namedEndpoints(query: Query, { tenant, ...place }: NamedPlace, limit: number) {
  return query
    .selectFrom("endpoint")
    .select(["id", "description", "url"])
    .$call(ofTenant(place))
    .$if((tenant ?? null) !== null, (endpoints) => endpoints.where("tenant", "=", tenant ?? null))
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .orderBy("id", "desc")
    .limit(limit);
}
