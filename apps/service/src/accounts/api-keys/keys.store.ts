import { makerRights } from "./maker-rights.store.ts";
import { newestFirst, sql } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

/** The columns of a key that the access checks read. */
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
  people: Uuid[];
  display: string;
  scopes: string[] | null;
  permissions: string[];
  rate_limit_per_hour: number;
  ip_allowlist: string[];
  require_signature: boolean;
  accept_body_signature: boolean;
  signing_secret_sealed: Buffer | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  tenant: string | null;
  maker_lineage_id: Uuid | null;
  maker_member_id: Uuid | null;
  /** Only in a row that was found by an access token. */
  audience?: "mcp";
  granted_role?: string | null;
}

/** All columns of a key. If the key is bound to a person, it has that person's role and ends with the membership. */
export type KeyRecord = Selectable<Tables["api_key"]> & {
  /** The time and the IP address of the last call; null for a key without one since version 0052 of the schema. */
  readonly used_at: Date | null;
  readonly used_ip: string | null;
};

/** The operator permissions of a key. If the key is bound to a person, only those that the person has now. */
export const KEY_PERMISSIONS = `case when m.id is null then k.permissions
  else array(select unnest(k.permissions) intersect select unnest(m.permissions)) end`;
/** The people behind a key: the person that it is bound to, and all who were shown its text. */
export const KEY_PEOPLE = "case when m.id is null then k.made_by else k.made_by || m.person_id end";

/** The present for the credential of a portal session whose maker has ended, or has other rights than before. Other keys cost no look-up. */
const PORTAL_MAKER_ENDED = `case when k.portal_session_id is null or k.maker_rights = ${makerRights("k")} then null else now() end`;

const KEY_COLUMNS = `k.id, k.workspace_id, k.bucket, k.tag, k.key_hash, k.lineage_id, k.tenant,
  coalesce(k.own_permission_mode, k.permission_mode) as permission_mode, coalesce(k.own_blocked_actions, k.blocked_actions) as blocked_actions,
  coalesce(m.role, k.role) as role, k.actor_type, k.member_id, ${KEY_PEOPLE} as people,
  coalesce((select p.name from person p where p.id = m.person_id), k.name) as display, k.scopes, ${KEY_PERMISSIONS} as permissions, k.rate_limit_per_hour, k.ip_allowlist,
  k.require_signature, k.accept_body_signature, k.signing_secret_sealed, k.expires_at, k.maker_lineage_id, k.maker_member_id,
  coalesce(k.revoked_at, m.removed_at, ${PORTAL_MAKER_ENDED}) as revoked_at`;

/**
 * Reads keys for every request (hot). A key that is bound to a person has that person's current role and ends with the
 * membership.
 */
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

/** Reads the keys of access tokens of connected apps, at the cost of a key (hot). A token ends before its key. */
const KEYS_BY_TOKEN: HotStatement = {
  name: "keys_by_token",
  text: `select ${KEY_COLUMNS}, t.token_hash, t.expires_at as token_expires_at, 'mcp' as audience,
      g.role as granted_role, g.removed_at as granter_removed_at
    from oauth_token t join api_key k on k.id = t.key_id left join member m on m.id = k.member_id left join member g on g.id = k.granted_by
    where t.token_hash = any($1::bytea[]) and t.kind = 'access'`,
};

interface TokenColumns {
  token_hash: Buffer;
  token_expires_at: Date;
  granter_removed_at: Date | null;
}

/** Returns the keys of access tokens, each with the token's hash and expiry in place of its own. */
export async function keysByToken(db: Db, hashes: readonly Buffer[]): Promise<KeyRow[]> {
  const rows = await db.hot<KeyRow & TokenColumns>(KEYS_BY_TOKEN, [hashes]);
  return rows.map((row) => ({
    ...row,
    key_hash: row.token_hash,
    expires_at: row.token_expires_at,
    // A node of a version before 0082 does not revoke the apps of a member that it removes.
    revoked_at: row.revoked_at ?? row.granter_removed_at,
  }));
}

const SECRETS: HotStatement = {
  name: "key_secrets",
  text: `select id, signing_secret_sealed from api_key
    where workspace_id = $1 and tag = any($2::text[]) and signing_secret_sealed is not null and revoked_at is null`,
};

/** Returns the sealed signing secrets of a workspace's keys. */
export async function keySecrets(
  reader: HotReader,
  home: { readonly workspaceId: Uuid; readonly tags: readonly string[] },
): Promise<{ readonly id: Uuid; readonly signing_secret_sealed: Buffer }[]> {
  return await reader.hot<{ id: Uuid; signing_secret_sealed: Buffer }>(SECRETS, [home.workspaceId, home.tags]);
}

export interface NewKey extends KeyChange {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly key_hash: Buffer;
  readonly lineage_id: Uuid;
  readonly prefix_hint: string;
  readonly actor_type: string;
  readonly member_id: Uuid | null;
  readonly made_by: Uuid[];
  readonly tenant: string | null;
  /** The member who connected the app of this key. Null for all other keys. */
  readonly granted_by: Uuid | null;
}

/** The columns of a key that can change. */
export interface KeyChange {
  readonly name: string;
  readonly permission_mode: string;
  readonly blocked_actions: string[];
  readonly role: string;
  readonly scopes: string[] | null;
  readonly permissions: string[];
  readonly rate_limit_per_hour: number;
  readonly ip_allowlist: string[];
  readonly require_signature: boolean;
  readonly accept_body_signature: boolean;
  readonly signing_secret_sealed: Buffer | null;
  readonly expires_at: Date | null;
  readonly own_permission_mode: string | null;
  readonly own_blocked_actions: string[] | null;
}

/**
 * Returns the role of a member that is not removed. A change of the member waits until the transaction ends, so that it finds the
 * keys that the transaction creates.
 */
export async function heldRole(tx: Tx, memberId: Uuid | null): Promise<string | undefined> {
  const row = await tx.query
    .selectFrom("member")
    .select("role")
    .where("id", "=", memberId)
    .where("removed_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return row?.role;
}

/** Returns false if the key was revoked. Otherwise, its end waits until the transaction ends. */
export async function holdKey(tx: Tx, id: Uuid): Promise<boolean> {
  const key = tx.query.selectFrom("api_key").select("id").where("id", "=", id).where("revoked_at", "is", null);
  return (await key.forShare().executeTakeFirst()) !== undefined;
}

export async function insertKey(tx: Tx, key: NewKey): Promise<void> {
  await tx.query.insertInto("api_key").values(key).execute();
}

/** An environment, or what one tenant's key may see of it: the keys of the tenant. */
export interface KeyPlace {
  readonly tag: Tag;
  readonly tenant?: string | null;
}

/** False for the credentials of the portal's page, which are listed as its sessions. MCP tokens are keys of the tenant. */
const isOfNoPage = sql<boolean>`(api_key.portal_session_id is null or api_key.actor_type = 'ai')`;

/** Returns the keys of a page, without those of connected apps, which have a list of their own. */
export async function listKeys(
  query: Query,
  place: KeyPlace,
  { tenant, before }: { readonly tenant: string | undefined; readonly before: Uuid | undefined },
  limit: number,
): Promise<KeyRecord[]> {
  const own = keysOf(query, place).where("api_key.granted_by", "is", null).where(isOfNoPage);
  const all = tenant === undefined ? own : own.where("api_key.tenant", "=", tenant);
  return await all.$call(newestFirst({ before }, "api_key.id")).limit(limit).execute();
}

export async function findKey(query: Query, place: KeyPlace, id: Uuid): Promise<KeyRecord | undefined> {
  return await keysOf(query, place).where("api_key.id", "=", id).executeTakeFirst();
}

/**
 * Returns the key and locks it until the transaction ends, so that no other request changes, rolls or revokes it. Credentials of the
 * portal's page cannot be changed or rolled, because they would outlive their session.
 */
export async function lockKey(tx: Tx, place: KeyPlace, id: Uuid): Promise<KeyRecord | undefined> {
  return await keysOf(tx.query, place)
    .where(isOfNoPage)
    .where("api_key.id", "=", id)
    .forNoKeyUpdate("api_key")
    .executeTakeFirst();
}

/** Changes a key. If the expiry changes, it is warned of again. */
export async function changeKey(tx: Tx, id: Uuid, change: KeyChange): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set(change)
    .set({
      expiry_warned_at: sql<Date | null>`case when expires_at is not distinct from ${change.expires_at} then expiry_warned_at end`,
    })
    .where("id", "=", id)
    .execute();
}

/** Adds people who were shown a key's text or secret. */
export async function addMakers(tx: Tx, id: Uuid, people: readonly Uuid[]): Promise<void> {
  const all = sql<Uuid[]>`array(select distinct unnest(made_by || ${people}::uuid[]))`;
  await tx.query.updateTable("api_key").set({ made_by: all }).where("id", "=", id).execute();
}

/** Records the people who were shown the keys of a new workspace as their makers. */
export async function adoptKeys(tx: Tx, workspaceId: Uuid, people: readonly Uuid[]): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ made_by: sql<Uuid[]>`${people}::uuid[]` })
    .where("workspace_id", "=", workspaceId)
    .where("member_id", "is", null)
    .where("made_by", "=", sql<Uuid[]>`'{}'`)
    .execute();
}

/**
 * Ends a key that is replaced, at `end` or at its earlier expiry, without a warning. Call it before the insert of the new key: on several
 * machines, an update needs the whole table's lock, and two transactions that inserted first would wait for each other.
 */
export async function endKey(tx: Tx, id: Uuid, end: { expires: Date } | { revoked: Date }): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ expiry_warned_at: sql<Date>`now()` })
    .set(({ fn, val }) =>
      "expires" in end
        ? { expires_at: fn<Date>("least", ["expires_at", val(end.expires)]) }
        : { revoked_at: end.revoked },
    )
    .where("id", "=", id)
    .execute();
}

/** Marks a key as replaced. */
export async function replaceKey(tx: Tx, id: Uuid, by: Uuid): Promise<void> {
  await tx.query.updateTable("api_key").set({ replaced_by: by }).where("id", "=", id).execute();
}

/** Revokes a key; an earlier revocation keeps its time. Returns false if there is no such key. */
export async function revokeKey(tx: Tx, { tag, tenant }: KeyPlace, id: Uuid, now: Date): Promise<boolean> {
  let keys = tx.query
    .updateTable("api_key")
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce("revoked_at", val(now)) }))
    .where("tag", "=", tag)
    .where("id", "=", id);
  if (tenant !== undefined && tenant !== null) keys = keys.where("tenant", "=", tenant);
  const { numUpdatedRows } = await keys.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes the keys of a tenant that are older than `before`. Returns their number. */
export async function revokeKeysOfTenant(
  query: Query,
  { tag, tenant, before }: { readonly tag: Tag; readonly tenant: string; readonly before: Uuid },
  now: Date,
): Promise<number> {
  const { numUpdatedRows } = await query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .where("portal_session_id", "is", null)
    .where("revoked_at", "is", null)
    .where("id", "<", before)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export interface ExpiringKey {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly tag: Tag;
  readonly name: string;
  readonly prefix_hint: string;
  readonly expires_at: Date;
  readonly tenant: string | null;
}

/** Returns keys that expire until `until` and marks them as warned. Skips keys of apps, and those that another node has locked. */
export async function takeExpiring(tx: Tx, now: Date, until: Date, limit: number): Promise<ExpiringKey[]> {
  const due = tx.query
    .selectFrom("api_key")
    .select("id")
    .where("expiry_warned_at", "is", null)
    .where("granted_by", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .where("expires_at", "<=", until)
    .where(({ not, exists, selectFrom }) => {
      const left = selectFrom("member").select("member.id").whereRef("member.id", "=", "api_key.member_id");
      return not(exists(left.where("removed_at", "is not", null)));
    })
    .orderBy("expires_at")
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return await tx.query
    .updateTable("api_key")
    .set({ expiry_warned_at: now })
    .where("id", "in", due)
    .returning(["id", "workspace_id", "tag", "name", "prefix_hint", "expires_at", "tenant"])
    .$narrowType<{ expires_at: Date }>()
    .execute();
}

/** Returns true if a key of the lineage is neither revoked nor expired. */
export async function lineageLives(
  query: Query,
  lineage: { readonly workspaceId: Uuid; readonly lineageId: Uuid; readonly now: Date },
): Promise<boolean> {
  const row = await query
    .selectFrom("api_key")
    .select("id")
    .where("workspace_id", "=", lineage.workspaceId)
    .where("lineage_id", "=", lineage.lineageId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", lineage.now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function keysOf(query: Query, { tag, tenant }: KeyPlace) {
  const keys = query
    .selectFrom("api_key")
    .leftJoin("member", "member.id", "api_key.member_id")
    .leftJoin("key_use", (on) =>
      on
        .onRef("key_use.bucket", "=", "api_key.bucket")
        .onRef("key_use.tag", "=", "api_key.tag")
        .onRef("key_use.key_id", "=", "api_key.id"),
    )
    .selectAll("api_key")
    .select(({ fn }) => [
      "key_use.used_at",
      "key_use.used_ip",
      fn.coalesce("api_key.own_permission_mode", "api_key.permission_mode").as("permission_mode"),
      fn.coalesce("api_key.own_blocked_actions", "api_key.blocked_actions").as("blocked_actions"),
      fn.coalesce("member.role", "api_key.role").as("role"),
      fn.coalesce("api_key.revoked_at", "member.removed_at").as("revoked_at"),
    ])
    .where("api_key.tag", "=", tag);
  return (tenant ?? null) === null ? keys : keys.where("api_key.tenant", "=", tenant ?? null);
}
