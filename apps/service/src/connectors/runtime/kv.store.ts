import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** The owner of values: a connector in one workspace and environment. */
export interface KvPlace extends Pick<Scope, "bucket" | "tag"> {
  readonly key: string;
}

export interface Quota {
  readonly entries: number;
  readonly bytes: number;
}

/** Returns the JSON text, or undefined if there is none or it has expired. */
export async function findValue(query: Query, place: KvPlace, name: string): Promise<string | undefined> {
  const row = await query
    .selectFrom("connector_value")
    .select("value")
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("name", "=", name)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .executeTakeFirst();
  return row?.value;
}

/** Returns the used quota, locked until the transaction ends. This serializes the changes of one connector. */
export async function holdQuota(tx: Tx, { bucket, tag, key }: KvPlace): Promise<Quota> {
  const row = await tx.query
    .insertInto("connector_quota")
    .values({ bucket, tag, key, entries: 0, bytes: 0 })
    .onConflict((conflict) => conflict.columns(["bucket", "tag", "key"]).doUpdateSet({ key }))
    .returning(["entries", "bytes"])
    .executeTakeFirstOrThrow();
  return { entries: row.entries, bytes: Number(row.bytes) };
}

export async function setQuota(tx: Tx, place: KvPlace, quota: Quota): Promise<void> {
  await tx.query
    .updateTable("connector_quota")
    .set(quota)
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .execute();
}

/** Deletes expired values, and counts the others. */
export async function recount(tx: Tx, place: KvPlace): Promise<Quota> {
  const own = sql`bucket = ${place.bucket} and tag = ${place.tag} and key = ${place.key}`;
  await sql`delete from connector_value where ${own} and expires_at <= now()`.execute(tx.query);
  const { rows } = await sql<{
    entries: number;
    bytes: string;
  }>`select count(*)::int as entries, coalesce(sum(bytes), 0)::bigint as bytes
    from connector_value where ${own}`.execute(tx.query);
  return { entries: rows[0]?.entries ?? 0, bytes: Number(rows[0]?.bytes ?? 0) };
}

/** Returns the size of the value, or undefined. An expired value counts until it is deleted. */
export async function bytesOf(tx: Tx, place: KvPlace, name: string): Promise<number | undefined> {
  const row = await tx.query
    .selectFrom("connector_value")
    .select("bytes")
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.bytes;
}

export async function putValue(
  tx: Tx,
  { bucket, tag, key }: KvPlace,
  { name, value, bytes, ttlSeconds }: KvEntry,
): Promise<void> {
  await sql`insert into connector_value (bucket, tag, key, name, value, bytes, expires_at)
    values (${bucket}, ${tag}, ${key}, ${name}, ${value}, ${bytes}, now() + ${ttlSeconds}::int * interval '1 second')
    on conflict (bucket, tag, key, name) do update set value = excluded.value, bytes = excluded.bytes, expires_at = excluded.expires_at`.execute(
    tx.query,
  );
}

export interface KvEntry {
  readonly name: string;
  /** JSON text. */
  readonly value: string;
  readonly bytes: number;
  /** Null means that the value does not expire. */
  readonly ttlSeconds: number | null;
}

export async function deleteValue(tx: Tx, place: KvPlace, name: string): Promise<void> {
  await tx.query
    .deleteFrom("connector_value")
    .$call(ofTenant(place))
    .where("key", "=", place.key)
    .where("name", "=", name)
    .execute();
}
