import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** Returns the endpoints after this one, in the order of their key, that have the value of a header in plain text. */
export async function plainEndpoints(
  query: Query,
  last: EndpointRow | undefined,
  limit: number,
): Promise<EndpointRow[]> {
  const from = last === undefined ? sql`true` : sql`(bucket, tag, id) > (${last.bucket}, ${last.tag}, ${last.id})`;
  const { rows } = await sql<EndpointRow>`select * from endpoint
    where ${from} and exists (select from jsonb_each_text(headers) where value <> '[redacted]')
    order by bucket, tag, id limit ${limit}`.execute(query);
  return rows;
}

/**
 * Stores the sealed headers. Returns false if the endpoint was changed since it was read. The same statement replaces
 * an earlier fingerprint, which was a hash of the values without a key.
 */
export async function putSealedHeaders(
  query: Query,
  row: EndpointRow,
  fresh: { readonly headers: string; readonly headers_sealed: Buffer | null; readonly fingerprint: Buffer | null },
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`with sealed as (
      update endpoint set headers = ${fresh.headers}::jsonb, headers_sealed = ${fresh.headers_sealed}
      where bucket = ${row.bucket} and tag = ${row.tag} and id = ${row.id} and headers = ${JSON.stringify(row.headers)}::jsonb
      returning bucket, tag, channel_id, id),
    replaced as (
      insert into channel_endpoint (bucket, tag, channel_id, fingerprint, endpoint_id)
      select bucket, tag, channel_id, ${fresh.fingerprint}::bytea, id from sealed where channel_id is not null
      on conflict do nothing),
    gone as (
      delete from channel_endpoint c using sealed s
      where c.bucket = s.bucket and c.tag = s.tag and c.channel_id = s.channel_id and c.endpoint_id = s.id
        and c.fingerprint <> ${fresh.fingerprint}::bytea)
    select id from sealed`.execute(query);
  return rows.length > 0;
}
