import type { Db, HotStatement } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";

export interface PublicKeyRow extends Record<string, unknown> {
  /** The key as `x` of a JWK. */
  readonly key: string;
  readonly created_at: Date;
}

const KEYS = `select k.key, e.created_at from endpoint e,
    lateral (values (e.ed25519_public), (case when e.previous_expires_at > now() then e.previous_ed25519_public end)) as k (key)
  where k.key is not null and e.deleted_at is null and e.ed25519_public is not null`;
const ALL: HotStatement = {
  name: "endpoint_public_keys",
  text: `${KEYS} order by e.created_at desc, e.id desc limit $1`,
};
const OF_ONE: HotStatement = {
  name: "endpoint_public_keys_of",
  text: `${KEYS} and e.bucket = $1 and e.tag = $2 and e.id = $3`,
};

/** Returns the public keys of the newest endpoints of all workspaces, with those that still overlap. */
export async function newestPublicKeys(db: Db, limit: number): Promise<PublicKeyRow[]> {
  const rows = await db.onEachShard(async () => await db.hot<PublicKeyRow>(ALL, [limit]));
  return rows.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime()).slice(0, limit);
}

export async function publicKeysOfEndpoint(db: Db, place: TenantKey & { readonly id: Uuid }): Promise<PublicKeyRow[]> {
  return await db.at(place.bucket, async () => await db.hot<PublicKeyRow>(OF_ONE, [place.bucket, place.tag, place.id]));
}
