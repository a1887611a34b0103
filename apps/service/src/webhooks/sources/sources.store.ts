import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, matching, newestFirst, ofTenant } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
export type SourceRow = Selectable<Tables["inbound_source"]>;

/** Runs for every batch of inbound requests (hot). Never cached, so that the next request uses changed settings. */
const BY_TOKEN: HotStatement = {
  name: "inbound_source_by_token",
  text: `select s.* from unnest($1::smallint[], $2::text[], $3::bytea[]) as w (bucket, tag, token_hash)
    join inbound_source s on s.bucket = w.bucket and s.tag = w.tag and s.token_hash = w.token_hash and s.deleted_at is null
    join workspace k on k.id = s.workspace_id and k.closed_at is null`,
};

export async function sourcesByToken(db: Db, places: readonly TokenPlace[]): Promise<SourceRow[]> {
  return await db.hot<SourceRow>(BY_TOKEN, [
    columnOf.smallint(places, (place) => place.bucket),
    columnOf.text(places, (place) => place.tag),
    columnOf.bytea(places, (place) => place.hash),
  ]);
}

const SECRETS: HotStatement = {
  name: "inbound_source_secrets",
  text: `select id, token_sealed, secret_sealed, previous_secret_sealed from inbound_source
    where bucket = $1 and tag = any($2::text[]) and deleted_at is null`,
};

/** Returns the secrets of a workspace's sources in both environments. */
export async function sourceSecrets(
  reader: HotReader,
  home: { readonly bucket: number; readonly tags: readonly string[] },
): Promise<Pick<SourceRow, "id" | "token_sealed" | "secret_sealed" | "previous_secret_sealed">[]> {
  return await reader.hot<SourceRow>(SECRETS, [home.bucket, home.tags]);
}

/** The columns in the form that is written: `score`, `scheme`, `respond` and `handshakes` are JSON text. */
export type SourceInsert = Omit<
  SourceRow,
  | "score"
  | "scheme"
  | "respond"
  | "handshakes"
  | "created_at"
  | "deleted_at"
  | "previous_secret_sealed"
  | "previous_expires_at"
> & {
  readonly score: string;
  readonly scheme: string | null;
  readonly respond: string | null;
  readonly handshakes: string | null;
};

export type SourceChange = Partial<Omit<SourceInsert, "bucket" | "tag" | "id" | "workspace_id" | "preset" | "sender">> &
  Partial<Pick<SourceRow, "previous_secret_sealed" | "previous_expires_at">>;

export async function insertSource(query: Query, source: SourceInsert): Promise<SourceRow> {
  return await query.insertInto("inbound_source").values(source).returningAll().executeTakeFirstOrThrow();
}

export async function findSource(query: Query, place: TenantKey, id: Uuid): Promise<SourceRow | undefined> {
  return await query
    .selectFrom("inbound_source")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** Returns the source, and locks it until the transaction ends, so that a change applies to the row that was read. */
export async function holdSource(query: Query, place: TenantKey, id: Uuid): Promise<SourceRow | undefined> {
  return await query
    .selectFrom("inbound_source")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

export async function listSources(
  query: Query,
  place: TenantKey,
  { tenant, before }: { readonly tenant: string | undefined; readonly before: Uuid | undefined },
  limit: number,
): Promise<SourceRow[]> {
  return await query
    .selectFrom("inbound_source")
    .selectAll()
    .$call(ofTenant(place))
    .where("deleted_at", "is", null)
    .$call(matching({ tenant }))
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

export async function changeSource(query: Query, place: TenantKey, id: Uuid, change: SourceChange): Promise<SourceRow> {
  return await query
    .updateTable("inbound_source")
    .set(change)
    .$call(ofTenant(place))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes the source. Its receipts are kept, and its URL stops working at once. */
export async function deleteSource(query: Query, place: TenantKey, id: Uuid, now: Date): Promise<boolean> {
  const result = await query
    .updateTable("inbound_source")
    .set({ deleted_at: now, active: false })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The data that a source's token contains, which needs no query. */
export interface TokenPlace {
  readonly bucket: number;
  readonly tag: Tag;
  readonly hash: Buffer;
}
