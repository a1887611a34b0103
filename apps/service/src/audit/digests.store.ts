import type { Tag, TenantKey, Uuid } from "../lib/lib.ts";
import { columnOf, ofTenant, sql } from "../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables } from "../platform/db/db.ts";

export type DigestRow = Selectable<Tables["audit_digest"]>;

export interface MovedChain {
  readonly bucket: number;
  readonly tag: Tag;
  readonly workspace_id: Uuid;
  readonly seq: string;
  readonly hash: Buffer;
}

/** Returns chains with rows that no digest covers, unless they have a digest of this hour or a later one. */
export async function movedChains(query: Query, hour: Date, limit: number): Promise<MovedChain[]> {
  const { rows } = await sql<MovedChain>`select h.bucket, h.tag, h.workspace_id, h.seq, h.hash from audit_head h
    left join lateral (select d.hour, d.seq from audit_digest d where d.bucket = h.bucket and d.tag = h.tag order by d.hour desc limit 1) d on true
    where h.seq > coalesce(d.seq, 0) and (d.hour is null or d.hour < ${hour})
    order by h.bucket, h.tag limit ${limit}`.execute(query);
  return rows;
}

const INSERT: HotStatement = {
  name: "audit_digests_insert",
  text: `insert into audit_digest (bucket, tag, workspace_id, hour, id, seq, hash, signed_at, signature)
    select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::bigint[], $7::bytea[], $8::timestamptz[], $9::bytea[])
    on conflict do nothing`,
};

/** The first digest of a chain and hour is kept. */
export async function insertDigests(db: Pick<Db, "byShard" | "hot">, digests: readonly DigestRow[]): Promise<void> {
  await db.byShard(
    digests,
    ({ bucket }) => bucket,
    async (own) => {
      await db.hot(INSERT, columns(own));
    },
  );
}

function columns(digests: readonly DigestRow[]): unknown[] {
  return [
    columnOf.smallint(digests, (one) => one.bucket),
    columnOf.text(digests, (one) => one.tag),
    columnOf.uuid(digests, (one) => one.workspace_id),
    digests.map((one) => one.hour),
    columnOf.uuid(digests, (one) => one.id),
    digests.map((one) => one.seq),
    columnOf.bytea(digests, (one) => one.hash),
    digests.map((one) => one.signed_at),
    columnOf.bytea(digests, (one) => one.signature),
  ];
}

/** Returns the newest digests first. */
export async function listDigests(
  query: Query,
  place: TenantKey,
  before: Uuid | undefined,
  limit: number,
): Promise<DigestRow[]> {
  const rows = digestsOf(query, place).orderBy("hour", "desc").limit(limit);
  if (before === undefined) return await rows.execute();
  const at = digestsOf(query, place).clearSelect().select("hour").where("id", "=", before);
  return await rows.where("hour", "<", at).execute();
}

/** Returns the digests in chronological order. */
export async function digestsAfter(
  query: Query,
  place: TenantKey,
  after: Date | undefined,
  limit: number,
): Promise<DigestRow[]> {
  const rows = digestsOf(query, place).orderBy("hour").limit(limit);
  return await (after === undefined ? rows : rows.where("hour", ">", after)).execute();
}

function digestsOf(query: Query, place: TenantKey) {
  return query.selectFrom("audit_digest").selectAll().$call(ofTenant(place));
}

const KEY: HotStatement = {
  name: "audit_signing_key",
  text: "select public_key, private_sealed from audit_signing_key",
};
const NEW_KEY: HotStatement = {
  name: "audit_signing_key_insert",
  text: "insert into public.audit_signing_key (public_key, private_sealed) values ($1, $2) on conflict do nothing",
};

export interface SigningKeyRow {
  readonly public_key: Buffer;
  readonly private_sealed: Buffer;
}

export async function findSigningKey(db: Pick<Db, "soft">): Promise<SigningKeyRow | undefined> {
  const [row] = await db.soft<SigningKeyRow & Record<string, unknown>>(KEY, []);
  return row;
}

/** The first key pair is kept. */
export async function insertSigningKey(db: Pick<Db, "hot">, key: SigningKeyRow): Promise<void> {
  await db.hot(NEW_KEY, [key.public_key, key.private_sealed]);
}
