import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";

export interface TenantRange {
  /** The last tenant of the page before. */
  readonly after: string;
  /** The smallest id of the events that make a tenant known. */
  readonly since: Uuid;
  readonly limit: number;
}

/** Leaves out the credentials of the portal's page, and keeps MCP tokens. */
const isOfNoPage = sql`(portal_session_id is null or actor_type = 'ai')`;

/**
 * Returns the names of tenants with an endpoint, a source, a key or a contact, or with an event since the given id, in order. The
 * tenants of events are found one by one in the index, so that a tenant with millions of events costs as much as one with
 * one. `since` is the first id of a day, so that every index entry of the days that are read matches.
 */
export async function tenantsAfter(
  query: Query,
  { bucket, tag }: TenantKey,
  { after, since, limit }: TenantRange,
): Promise<string[]> {
  const here = sql`bucket = ${bucket} and tag = ${tag}`;
  const next = sql`select v.tenant from event v where v.bucket = ${bucket} and v.tag = ${tag} and v.id >= ${since}`;
  const { rows } = await sql<{ tenant: string }>`with recursive fired (tenant) as (
      (${next} and v.tenant > ${after} order by v.tenant limit 1)
      union all
      select (${next} and v.tenant > f.tenant order by v.tenant limit 1) from fired f where f.tenant is not null)
    select tenant from (
      (select distinct tenant from endpoint where ${here} and tenant > ${after} and deleted_at is null order by tenant limit ${limit})
      union (select distinct tenant from inbound_source where ${here} and tenant > ${after} and deleted_at is null
        order by tenant limit ${limit})
      union (select distinct tenant from api_key where tag = ${tag} and tenant > ${after} and revoked_at is null
        and ${isOfNoPage} order by tenant limit ${limit})
      union (select tenant from tenant_contact where tag = ${tag} and tenant > ${after} order by tenant limit ${limit})
      union (select tenant from tenant_profile where ${here} and tenant > ${after} order by tenant limit ${limit})
      union (select tenant from fired where tenant is not null limit ${limit})) known
    order by tenant limit ${limit}`.execute(query);
  return rows.map(({ tenant }) => tenant);
}

export interface TenantCounts {
  readonly tenant: string;
  readonly endpoints: number;
  readonly sources: number;
  readonly keys: number;
  readonly contact_email: string | null;
  /** The events since the given id, up to one more than the limit. */
  readonly events: number;
  readonly last_event_id: Uuid | null;
}

export interface CountRange {
  readonly since: Uuid;
  readonly most: number;
}

/** Counts what each of these tenants has. */
export async function countsOf(
  query: Query,
  { bucket, tag }: TenantKey,
  tenants: readonly string[],
  { since, most }: CountRange,
): Promise<TenantCounts[]> {
  const here = sql`bucket = ${bucket} and tag = ${tag}`;
  const { rows } = await sql<TenantCounts>`select n.tenant,
      (select count(*)::int from endpoint where ${here} and tenant = n.tenant and deleted_at is null) as endpoints,
      (select count(*)::int from inbound_source where ${here} and tenant = n.tenant and deleted_at is null) as sources,
      (select count(*)::int from api_key where tag = ${tag} and tenant = n.tenant and ${isOfNoPage} and revoked_at is null) as keys,
      (select email from tenant_contact where tag = ${tag} and tenant = n.tenant) as contact_email,
      (select count(*)::int from (select from event where ${here} and tenant = n.tenant and id >= ${since} limit ${most + 1}) v) as events,
      (select id from event where ${here} and tenant = n.tenant order by id desc limit 1) as last_event_id
    from unnest(${[...tenants]}::text[]) with ordinality as n (tenant, at) order by n.at`.execute(query);
  return rows;
}

export interface TenantFailures {
  readonly tenant: string;
  readonly failures: number;
}

/**
 * Counts the failed deliveries of these tenants' endpoints since the given id, among the newest `most` of the
 * environment. `isCut` if there are more than those.
 */
export async function failuresOf(
  query: Query,
  { bucket, tag }: TenantKey,
  tenants: readonly string[],
  { since, most }: CountRange,
): Promise<{ readonly failures: ReadonlyMap<string, number>; readonly isCut: boolean }> {
  const { rows } = await sql<TenantFailures & { readonly read: number }>`with failed as materialized (
      select endpoint_id from delivery where bucket = ${bucket} and tag = ${tag} and state = 'failed' and state <> 'delivered'
        and id >= ${since} order by id desc limit ${most + 1})
    select n.tenant, count(e.id)::int as failures, (select count(*)::int from failed) as read
    from unnest(${[...tenants]}::text[]) as n (tenant) left join (failed f
        join endpoint e on e.bucket = ${bucket} and e.tag = ${tag} and e.id = f.endpoint_id) on e.tenant = n.tenant
    group by n.tenant`.execute(query);
  return {
    failures: new Map(rows.map((row) => [row.tenant, row.failures])),
    isCut: rows.some(({ read }) => read > most),
  };
}
