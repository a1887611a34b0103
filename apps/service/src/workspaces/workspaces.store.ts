import { sql } from "../db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../db/db.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";

export interface KeyRow {
  id: Uuid;
  workspace_id: Uuid;
  bucket: number;
  tag: Tag;
  key_hash: Buffer;
  lineage_id: Uuid;
  permission_mode: string;
  blocked_actions: string[];
  role: string;
  actor_type: string;
  member_id: Uuid | null;
  scopes: string[] | null;
  permissions: string[];
  rate_limit_per_hour: number;
  ip_allowlist: string[];
  require_signature: boolean;
  accept_body_signature: boolean;
  signing_secret_sealed: Buffer | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const KEY_COLUMNS = `k.id, k.workspace_id, k.bucket, k.tag, k.key_hash, k.lineage_id, k.permission_mode, k.blocked_actions,
  coalesce(m.role, k.role) as role, k.actor_type, k.member_id, k.scopes, k.permissions, k.rate_limit_per_hour, k.ip_allowlist,
  k.require_signature, k.accept_body_signature, k.signing_secret_sealed, k.expires_at,
  coalesce(k.revoked_at, m.removed_at) as revoked_at`;

/** A key bound to a person carries that person's role of the moment, and ends with the membership. Hot: every request. */
const KEYS_BY_HASH: HotStatement = {
  name: "keys_by_hash",
  text: `select ${KEY_COLUMNS} from api_key k left join member m on m.id = k.member_id where k.key_hash = any($1::bytea[])`,
};
const KEYS_BY_ID: HotStatement = {
  name: "keys_by_id",
  text: `select ${KEY_COLUMNS} from api_key k left join member m on m.id = k.member_id where k.id = any($1::uuid[])`,
};

export async function keysByHash(db: Db, hashes: readonly Buffer[]): Promise<KeyRow[]> {
  return await db.hot<KeyRow>(KEYS_BY_HASH, [hashes]);
}

export async function keysById(db: Db, ids: readonly Uuid[]): Promise<KeyRow[]> {
  return await db.hot<KeyRow>(KEYS_BY_ID, [ids]);
}

export interface NewWorkspace {
  readonly id: Uuid;
  readonly tag: Tag;
  readonly bucket: number;
  readonly name: string;
}

export async function insertWorkspace(tx: Tx, workspace: NewWorkspace): Promise<void> {
  await tx.query.insertInto("workspace").values(workspace).execute();
}

export interface NewKey {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly key_hash: Buffer;
  readonly lineage_id: Uuid;
  readonly name: string;
  readonly prefix_hint: string;
  readonly permission_mode: string;
  readonly blocked_actions: string[];
  readonly role: string;
  readonly actor_type: string;
  readonly member_id: Uuid | null;
  readonly scopes: string[] | null;
  readonly rate_limit_per_hour?: number;
  readonly ip_allowlist: string[];
  readonly require_signature: boolean;
  readonly accept_body_signature: boolean;
  readonly signing_secret_sealed: Buffer | null;
  readonly expires_at: Date | null;
}

export async function insertKey(tx: Tx, key: NewKey): Promise<void> {
  await tx.query.insertInto("api_key").values(key).execute();
}

/** One setup at a time, whoever starts: two nodes on a new database make one workspace. */
export async function lockSetup(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(4921077)`.execute(tx.query);
}

export async function anyWorkspace(query: Query): Promise<boolean> {
  const row = await query.selectFrom("workspace").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function anyOwner(query: Query): Promise<boolean> {
  const row = await query
    .selectFrom("member")
    .select("id")
    .where("role", "=", "owner")
    .where("removed_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function workspaceById(query: Query, id: Uuid): Promise<Selectable<Tables["workspace"]> | undefined> {
  return await query.selectFrom("workspace").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertSetupLink(
  tx: Tx,
  link: { token_hash: Buffer; workspace_id: Uuid; expires_at: Date },
): Promise<void> {
  await tx.query.insertInto("setup_link").values(link).execute();
}

/** Marks the link used and answers its workspace; undefined when it is unknown, used or expired. */
export async function useSetupLink(tx: Tx, tokenHash: Buffer, now: Date): Promise<Uuid | undefined> {
  const row = await tx.query
    .updateTable("setup_link")
    .set({ used_at: now })
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("workspace_id")
    .executeTakeFirst();
  return row?.workspace_id;
}

/** The first workspace, while the installation has no member at all: its start-up link can be made anew. */
export async function unclaimedWorkspace(query: Query): Promise<Selectable<Tables["workspace"]> | undefined> {
  return await query
    .selectFrom("workspace")
    .selectAll()
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom("member").select("member.id"))))
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
}

export type KeyRecord = Selectable<Tables["api_key"]>;

export async function listKeys(query: Query, tag: Tag, before: Uuid | undefined, limit: number): Promise<KeyRecord[]> {
  const all = query.selectFrom("api_key").selectAll().where("tag", "=", tag).orderBy("id", "desc").limit(limit);
  return await (before === undefined ? all : all.where("id", "<", before)).execute();
}

export async function findKey(query: Query, tag: Tag, id: Uuid): Promise<KeyRecord | undefined> {
  return await query.selectFrom("api_key").selectAll().where("tag", "=", tag).where("id", "=", id).executeTakeFirst();
}

export async function revokeKey(tx: Tx, tag: Tag, id: Uuid, now: Date): Promise<KeyRecord | undefined> {
  return await tx.query
    .updateTable("api_key")
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce("revoked_at", val(now)) }))
    .where("tag", "=", tag)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function findKeyByHash(query: Query, hash: Buffer): Promise<KeyRecord | undefined> {
  return await query.selectFrom("api_key").selectAll().where("key_hash", "=", hash).executeTakeFirst();
}

export async function workspaceOfTag(query: Query, liveTag: Tag): Promise<Uuid> {
  const row = await query.selectFrom("workspace").select("id").where("tag", "=", liveTag).executeTakeFirstOrThrow();
  return row.id;
}
