import type { TenantKey, Uuid } from "../lib/lib.ts";
import { newestFirst, ofTenant, sql } from "../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../platform/db/db.ts";

export type ContactRow = Selectable<Tables["contact"]>;
export type IdentityKind = "email" | "external_id";

export interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
}

export interface HeldIdentity extends Identity {
  readonly contact_id: Uuid;
}

/**
 * Locks these identities in the order of their key, and creates those that do not exist. The order of all locks is
 * described in arrive.store.ts.
 */
export async function holdIdentities(
  tx: Tx,
  place: TenantKey,
  contactId: Uuid,
  identities: readonly Identity[],
): Promise<HeldIdentity[]> {
  if (identities.length === 0) return [];
  const kinds = identities.map((identity) => identity.kind);
  const values = identities.map((identity) => identity.value);
  await sql`insert into contact_identity (bucket, tag, kind, value, contact_id)
    select distinct ${place.bucket}::smallint, ${place.tag}::text, w.kind collate "C", w.value collate "C", ${contactId}::uuid
    from unnest(${kinds}::text[], ${values}::text[]) as w (kind, value) order by 3, 4
    on conflict (bucket, tag, kind, value) do update set contact_id = excluded.contact_id where false`.execute(
    tx.query,
  );
  const { rows } = await sql<HeldIdentity>`select i.kind, i.value, i.contact_id from contact_identity i
    join unnest(${kinds}::text[], ${values}::text[]) as w (kind, value) on i.kind = w.kind and i.value = w.value
    where i.bucket = ${place.bucket} and i.tag = ${place.tag}`.execute(tx.query);
  return rows;
}

/** Locks all identities of these contacts. */
export async function holdIdentitiesOf(tx: Tx, place: TenantKey, contactIds: readonly Uuid[]): Promise<void> {
  await tx.query
    .selectFrom("contact_identity")
    .select("value")
    .$call(ofTenant(place))
    .where("contact_id", "in", contactIds)
    .orderBy("kind")
    .orderBy("value")
    .forUpdate()
    .execute();
}

export async function identitiesOf(
  query: Query,
  place: TenantKey,
  contactIds: readonly Uuid[],
): Promise<HeldIdentity[]> {
  if (contactIds.length === 0) return [];
  const rows = await query
    .selectFrom("contact_identity")
    .select(["kind", "value", "contact_id"])
    .$call(ofTenant(place))
    .where("contact_id", "in", contactIds)
    .orderBy("kind")
    .orderBy("value")
    .execute();
  return rows.map((row) => ({ ...row, kind: row.kind as IdentityKind }));
}

/** Returns the contact that an identity leads to. */
export async function contactIdOf(
  query: Query,
  place: TenantKey,
  { kind, value }: Identity,
): Promise<Uuid | undefined> {
  const row = await query
    .selectFrom("contact_identity")
    .select("contact_id")
    .$call(ofTenant(place))
    .where("kind", "=", kind)
    .where("value", "=", value)
    .executeTakeFirst();
  return row?.contact_id;
}

/** Assigns identities to a contact. Their rows are locked. */
export async function moveIdentities(
  tx: Tx,
  place: TenantKey,
  contactId: Uuid,
  identities: readonly Identity[],
): Promise<void> {
  if (identities.length === 0) return;
  await sql`update contact_identity i set contact_id = ${contactId}::uuid
    from unnest(${identities.map((one) => one.kind)}::text[], ${identities.map((one) => one.value)}::text[]) as w (kind, value)
    where i.bucket = ${place.bucket} and i.tag = ${place.tag} and i.kind = w.kind and i.value = w.value`.execute(
    tx.query,
  );
}

export async function dropIdentities(tx: Tx, place: TenantKey, identities: readonly Identity[]): Promise<void> {
  if (identities.length === 0) return;
  await sql`delete from contact_identity i
    using unnest(${identities.map((one) => one.kind)}::text[], ${identities.map((one) => one.value)}::text[]) as w (kind, value)
    where i.bucket = ${place.bucket} and i.tag = ${place.tag} and i.kind = w.kind and i.value = w.value`.execute(
    tx.query,
  );
}

export type ContactValues = Omit<ContactRow, "bucket" | "tag" | "id" | "updated_at">;

export async function insertContact(
  tx: Tx,
  place: TenantKey,
  id: Uuid,
  values: Partial<ContactValues>,
): Promise<ContactRow> {
  const { bucket, tag } = place;
  return await tx.query
    .insertInto("contact")
    .values({ bucket, tag, id, ...written(values) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateContact(
  tx: Tx,
  place: TenantKey,
  id: Uuid,
  values: Partial<ContactValues>,
): Promise<ContactRow> {
  return await tx.query
    .updateTable("contact")
    .set({ ...written(values), updated_at: sql`now()` })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function written({ stamps, ...values }: Partial<ContactValues>) {
  return { ...values, ...(stamps === undefined ? {} : { stamps: JSON.stringify(stamps) }) };
}

/**
 * Adds an activity, or all activities of a merged contact, to the totals of a locked contact. `scoreDelta` is decimal
 * text.
 */
export async function countActivity(
  tx: Tx,
  place: TenantKey,
  id: Uuid,
  { scoreDelta, occurredAt }: { scoreDelta: string; occurredAt: Date | null },
): Promise<void> {
  await tx.query
    .updateTable("contact")
    .set({
      score: sql`score + ${scoreDelta}::numeric`,
      last_activity_at: sql`greatest(last_activity_at, ${occurredAt}::timestamptz)`,
      updated_at: sql`now()`,
    })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .execute();
}

/** Locks contacts in the order of their ids. Contacts that no longer exist are missing from the result. */
export async function lockContacts(tx: Tx, place: TenantKey, ids: readonly Uuid[]): Promise<ContactRow[]> {
  return await tx.query
    .selectFrom("contact")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "in", ids)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

export async function findContact(query: Query, place: TenantKey, id: Uuid): Promise<ContactRow | undefined> {
  return await query.selectFrom("contact").selectAll().$call(ofTenant(place)).where("id", "=", id).executeTakeFirst();
}

/** Returns the contact that this one was merged into. */
export async function survivorOf(query: Query, place: TenantKey, id: Uuid): Promise<Uuid | undefined> {
  const row = await query
    .selectFrom("contact_merge")
    .select("into_id")
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.into_id;
}

/** Returns the ids of contacts that were merged into this one. */
export async function mergedInto(query: Query, place: TenantKey, id: Uuid): Promise<Uuid[]> {
  const rows = await query
    .selectFrom("contact_merge")
    .select("id")
    .$call(ofTenant(place))
    .where("into_id", "=", id)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Redirects the id of `from`, and all ids that led to it, to `into`. */
export async function recordMerge(tx: Tx, place: TenantKey, from: Uuid, into: Uuid): Promise<void> {
  await tx.query
    .updateTable("contact_merge")
    .set({ into_id: into })
    .$call(ofTenant(place))
    .where("into_id", "=", from)
    .execute();
  const { bucket, tag } = place;
  await tx.query.insertInto("contact_merge").values({ bucket, tag, id: from, into_id: into }).execute();
}

export async function deleteContact(tx: Tx, place: TenantKey, id: Uuid): Promise<void> {
  await tx.query.deleteFrom("contact").$call(ofTenant(place)).where("id", "=", id).execute();
}

/** Deletes the identities and the former ids of a contact. */
export async function deleteTraces(tx: Tx, place: TenantKey, id: Uuid): Promise<void> {
  await tx.query.deleteFrom("contact_identity").$call(ofTenant(place)).where("contact_id", "=", id).execute();
  await tx.query.deleteFrom("contact_merge").$call(ofTenant(place)).where("into_id", "=", id).execute();
}

export interface ContactFilter {
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
  readonly contactTag?: string | undefined;
  readonly stage?: string | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listContacts(
  query: Query,
  place: TenantKey,
  filter: ContactFilter,
  limit: number,
): Promise<ContactRow[]> {
  let rows = query.selectFrom("contact").selectAll().$call(ofTenant(place));
  const found = (kind: IdentityKind, value: string) =>
    query
      .selectFrom("contact_identity")
      .select("contact_id")
      .$call(ofTenant(place))
      .where("kind", "=", kind)
      .where("value", "=", value);
  if (filter.email !== undefined) rows = rows.where("id", "in", found("email", filter.email));
  if (filter.externalId !== undefined) rows = rows.where("id", "in", found("external_id", filter.externalId));
  if (filter.contactTag !== undefined) rows = rows.where("tags", "@>", sql<string[]>`array[${filter.contactTag}]`);
  if (filter.stage !== undefined) rows = rows.where("lifecycle_stage", "=", filter.stage);
  return await rows.$call(newestFirst(filter)).limit(limit).execute();
}
