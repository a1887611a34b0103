import { sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type KeyRow = Selectable<Tables["connector_key"]>;
export type NewKey = Pick<KeyRow, "key_id" | "public_key" | "name" | "connectors" | "development">;

export async function listKeys(query: Query): Promise<KeyRow[]> {
  return await query.selectFrom("connector_key").selectAll().orderBy("created_at").orderBy("key_id").execute();
}

/** Trusts the key. Replaces its earlier limits and lifts a revocation. */
export async function putKey(tx: Tx, key: NewKey): Promise<KeyRow> {
  const { key_id: _id, public_key: _bytes, ...rest } = key;
  return await tx.query
    .insertInto("connector_key")
    .values(key)
    .onConflict((conflict) => conflict.column("key_id").doUpdateSet({ ...rest, revoked_at: null }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Keeps the time of the first revocation. */
export async function revokeKey(tx: Tx, key: Pick<NewKey, "key_id" | "public_key" | "name">): Promise<KeyRow> {
  return await tx.query
    .insertInto("connector_key")
    .values({ ...key, connectors: null, development: false, revoked_at: sql`now()` })
    .onConflict((conflict) =>
      conflict
        .column("key_id")
        .doUpdateSet({ revoked_at: sql`coalesce(connector_key.revoked_at, excluded.revoked_at)` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}
