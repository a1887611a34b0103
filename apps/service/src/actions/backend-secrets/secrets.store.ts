import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { contractKey } from "../storage/stored-key.ts";

export type SecretRow = Selectable<Tables["secret"]>;
type Home = Pick<Scope, "bucket" | "workspaceId">;

export type NewSecret = Omit<SecretRow, "updated_at">;

/** The first character of the names of the service's own secrets, which no caller's secret can have. */
export const OWN = "$";

/** Creates or replaces a secret. A name that exists keeps its id. */
export async function putSecret(tx: Tx, secret: NewSecret): Promise<SecretRow> {
  return await tx.query
    .insertInto("secret")
    .values(secret)
    .onConflict((conflict) =>
      conflict.columns(["bucket", "tag", "name"]).doUpdateSet({
        value_sealed: secret.value_sealed,
        hosts: secret.hosts,
        any_host: secret.any_host,
        updated_at: sql`now()`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findSecret(query: Query, place: TenantKey, name: string): Promise<SecretRow | undefined> {
  return await own(query, place).where("name", "=", name).executeTakeFirst();
}

export type SecretKey = TenantKey & { readonly name: string };

const FOUND: HotStatement = {
  name: "secrets_found",
  text: `select s.* from unnest($1::smallint[], $2::text[], $3::text[]) as w (bucket, tag, name)
    join secret s on s.bucket = w.bucket and s.tag = w.tag and s.name = w.name`,
};

/** Returns the secrets that exist, in any order. */
export async function foundSecrets(db: Db, keys: readonly SecretKey[]): Promise<SecretRow[]> {
  return await db.hot<SecretRow & Record<string, unknown>>(FOUND, [
    keys.map((key) => key.bucket),
    keys.map((key) => key.tag),
    keys.map((key) => key.name),
  ]);
}

/** Locks the secret until the transaction ends. */
export async function holdSecret(tx: Tx, place: TenantKey, name: string): Promise<SecretRow | undefined> {
  return await own(tx.query, place).where("name", "=", name).forUpdate().executeTakeFirst();
}

export async function deleteSecret(tx: Tx, secret: TenantKey & Pick<SecretRow, "name">): Promise<void> {
  await tx.query.deleteFrom("secret").$call(ofTenant(secret)).where("name", "=", secret.name).execute();
}

/** Returns the newest secrets of callers first. */
export async function listSecrets(
  query: Query,
  place: TenantKey,
  before: Uuid | undefined,
  limit: number,
): Promise<SecretRow[]> {
  const rows = own(query, place).where("name", "not like", `${OWN}%`).orderBy("id", "desc").limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

/** Returns the keys of the contracts that use these secrets. */
export async function usersOf(
  query: Query,
  home: Home,
  names: readonly string[],
): Promise<{ readonly key: string; readonly secret_ref: string | null }[]> {
  const rows = await query
    .selectFrom("action_contract")
    .select(["key", "secret_ref"])
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("secret_ref", "in", names)
    .where("deleted_at", "is", null)
    .orderBy("key")
    .execute();
  const users = rows.map((row) => ({ ...row, key: contractKey(row.key) }));
  return users.filter(
    (one, at) => users.findIndex(({ key, secret_ref: ref }) => key === one.key && ref === one.secret_ref) === at,
  );
}

function own(query: Query, place: TenantKey) {
  return query.selectFrom("secret").selectAll().$call(ofTenant(place));
}

/** A secret that is stored encrypted for a workspace. */
export interface SealedSecret extends Record<string, unknown> {
  readonly kind: "signing" | "secret";
  /** The id of the contract or of the secret. */
  readonly id: Uuid;
  readonly tag: Tag;
  readonly name: string;
  readonly sealed: Buffer;
}

const SEALED: HotStatement = {
  name: "actions_sealed",
  text: `select 'signing' as kind, id, '' as tag, key as name, signing_secret_sealed as sealed from action_contract where bucket = $1 and workspace_id = $2
    union all
    select 'signing', id, '', key, previous_secret_sealed from action_contract where bucket = $1 and workspace_id = $2 and previous_secret_sealed is not null
    union all
    select 'secret', id, tag, name, value_sealed from secret where bucket = $1 and tag = any($3::text[])`,
};

/** Returns every secret of this module, of both environments. */
export async function sealedSecrets(
  reader: HotReader,
  home: { readonly bucket: number; readonly workspaceId: Uuid; readonly tags: readonly Tag[] },
): Promise<SealedSecret[]> {
  return await reader.hot<SealedSecret>(SEALED, [home.bucket, home.workspaceId, home.tags]);
}
