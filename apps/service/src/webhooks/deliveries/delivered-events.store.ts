import { PAGE_BYTES } from "../../lib/lib.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables } from "../../platform/db/db.ts";

/** Returns the data of those of these events whose data contains the text. */
export async function dataHolding(
  query: Query,
  { bucket, tag }: TenantKey,
  { eventIds, text }: { readonly eventIds: readonly Uuid[]; readonly text: string },
): Promise<{ readonly id: Uuid; readonly data: string | null }[]> {
  const { rows } = await sql<{ id: Uuid; data: string | null }>`select id,
      case when sum(octet_length(data)) over (order by id) <= ${PAGE_BYTES} then data end as data from event
    where bucket = ${bucket} and tag = ${tag} and id = any(${[...eventIds]}::uuid[]) and strpos(data, ${text}) > 0`.execute(
    query,
  );
  return rows;
}

export async function eventOf(
  query: Query,
  place: TenantKey,
  id: Uuid,
): Promise<Pick<Selectable<Tables["event"]>, "data" | "occurred_at" | "traceparent" | "tenant"> | undefined> {
  return await query
    .selectFrom("event")
    .select(["data", "occurred_at", "traceparent", "tenant"])
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}
