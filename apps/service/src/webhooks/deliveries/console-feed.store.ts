import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";

/**
 * Returns the endpoints whose attempts fail or that the service disabled for it: the disabled ones first, then by the time since they fail.
 */
export async function failingEndpoints(query: Query, { bucket, tag }: TenantKey): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`select id from endpoint
    where bucket = ${bucket} and tag = ${tag} and deleted_at is null and channel_id is null
      and (failing_since is not null or disabled_reason is not null)
    order by active, failing_since nulls first, id`.execute(query);
  return rows.map((row) => row.id);
}

/** Counts failed deliveries, up to `most`. */
export async function parkedCount(query: Query, { bucket, tag }: TenantKey, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select 1 from delivery
    where bucket = ${bucket} and tag = ${tag} and state = 'failed' and state <> 'delivered' limit ${most}) d`.execute(
    query,
  );
  return rows[0]?.n ?? 0;
}

export interface Backlog {
  /** The number of pending deliveries, counted up to `most`. */
  readonly pending: number;
  readonly oldest_due_age_seconds: number | null;
}

/** Returns the pending deliveries and the age of the oldest due one. Needs one index probe for each endpoint. */
export async function backlogOf(query: Query, { bucket, tag }: TenantKey, most: number): Promise<Backlog> {
  const { rows } = await sql<Backlog>`select
      (select count(*)::int from (select 1 from pending_delivery where bucket = ${bucket} and tag = ${tag} limit ${most}) p) as pending,
      (select extract(epoch from now() - min(d.due_at))::float8 from endpoint e, lateral (select p.due_at from pending_delivery p
          where p.bucket = e.bucket and p.tag = e.tag and p.endpoint_id = e.id order by p.due_at limit 1) d
        where e.bucket = ${bucket} and e.tag = ${tag} and e.active and e.deleted_at is null and d.due_at <= now()) as oldest_due_age_seconds`.execute(
    query,
  );
  return rows[0] ?? { pending: 0, oldest_due_age_seconds: null };
}
