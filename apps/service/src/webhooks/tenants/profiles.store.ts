import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type ProfileRow = Selectable<Tables["tenant_profile"]>;

/** A name of a tenant: its `uid`, the tenant itself, its own id, or the one that it had elsewhere. */
export interface NamedTenant extends TenantKey {
  readonly name: string;
  readonly id: Uuid | undefined;
}

/** Each call of the Svix-compatible API names a tenant. Hot, and never cached. */
const FIND: HotStatement = {
  name: "tenant_profile_find",
  text: `select w.at::int as at, p.* from unnest($1::smallint[], $2::text[], $3::text[], $4::uuid[]) with ordinality as w (bucket, tag, name, id, at)
    cross join lateral (select * from tenant_profile t where t.bucket = w.bucket and t.tag = w.tag
      and (t.uid = w.name or t.tenant = w.name or t.external_ref = w.name or t.id = w.id)
      order by t.uid = w.name desc nulls last, t.tenant = w.name desc limit 1) p`,
};

/** Returns the profiles of tenants by any of their names; undefined for none. */
export async function findProfiles(
  reader: HotReader,
  named: readonly NamedTenant[],
): Promise<(ProfileRow | undefined)[]> {
  const rows = await reader.hot<ProfileRow & { at: number } & Record<string, unknown>>(FIND, [
    named.map(({ bucket }) => bucket),
    named.map(({ tag }) => tag),
    named.map(({ name }) => name),
    named.map(({ id }) => id ?? null),
  ]);
  const found = new Map(rows.map((row) => [row.at, row]));
  return named.map((_one, at) => found.get(at + 1));
}

export async function profileOfTenant(query: Query, place: TenantKey, tenant: string): Promise<ProfileRow | undefined> {
  return await query
    .selectFrom("tenant_profile")
    .selectAll()
    .$call(ofTenant(place))
    .where("tenant", "=", tenant)
    .executeTakeFirst();
}

export async function profilesOf(
  query: Query,
  place: TenantKey,
  tenants: readonly string[],
): Promise<ReadonlyMap<string, ProfileRow>> {
  if (tenants.length === 0) return new Map();
  const rows = await query
    .selectFrom("tenant_profile")
    .selectAll()
    .$call(ofTenant(place))
    .where("tenant", "in", [...tenants])
    .execute();
  return new Map(rows.map((row) => [row.tenant, row]));
}

/** A part of a list in the order of the ids: after an id, or the last ones before it. */
export interface Span {
  readonly after?: Uuid | undefined;
  readonly before?: Uuid | undefined;
  readonly limit: number;
}

/** Returns the profiles, the oldest first. */
export async function listProfiles(
  query: Query,
  place: TenantKey,
  { after, before, limit }: Span,
): Promise<ProfileRow[]> {
  const rows = query.selectFrom("tenant_profile").selectAll().$call(ofTenant(place)).limit(limit);
  if (before !== undefined) return (await rows.where("id", "<", before).orderBy("id", "desc").execute()).toReversed();
  return await (after === undefined ? rows : rows.where("id", ">", after)).orderBy("id").execute();
}

export type ProfileInsert = Pick<
  ProfileRow,
  | "bucket"
  | "tag"
  | "id"
  | "workspace_id"
  | "tenant"
  | "uid"
  | "name"
  | "metadata"
  | "rate_limit_per_second"
  | "external_ref"
>;

/** Returns undefined if the tenant has a profile, or another tenant one of its names. */
export async function insertProfile(tx: Tx, profile: ProfileInsert): Promise<ProfileRow | undefined> {
  return await tx.query
    .insertInto("tenant_profile")
    .values(profile)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export type ProfileChange = Partial<Pick<ProfileRow, "uid" | "name" | "metadata" | "rate_limit_per_second">>;

export async function changeProfile(
  tx: Tx,
  place: TenantKey,
  tenant: string,
  change: ProfileChange,
): Promise<ProfileRow | undefined> {
  return await tx.query
    .updateTable("tenant_profile")
    .set({ ...change, updated_at: sql<Date>`now()` })
    .$call(ofTenant(place))
    .where("tenant", "=", tenant)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteProfile(tx: Tx, place: TenantKey, tenant: string): Promise<void> {
  await tx.query.deleteFrom("tenant_profile").$call(ofTenant(place)).where("tenant", "=", tenant).execute();
}

const AT_ONCE = 500;

/** Inserts many profiles. Fails if a name is taken. */
export async function insertProfiles(tx: Tx, profiles: readonly ProfileInsert[]): Promise<void> {
  for (let at = 0; at < profiles.length; at += AT_ONCE)
    await tx.query
      .insertInto("tenant_profile")
      .values(profiles.slice(at, at + AT_ONCE))
      .execute();
}

/** Returns the profiles that have one of these names, of any kind. */
export async function profilesNamed(
  query: Query,
  { bucket, tag }: TenantKey,
  names: readonly string[],
): Promise<ProfileRow[]> {
  const { rows } = await sql<ProfileRow>`select * from tenant_profile where bucket = ${bucket} and tag = ${tag}
    and (uid = any(${[...names]}::text[]) or tenant = any(${[...names]}::text[]) or external_ref = any(${[...names]}::text[]))`.execute(
    query,
  );
  return rows;
}
