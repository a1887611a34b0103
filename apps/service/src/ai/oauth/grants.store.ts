import { lockName, newestFirst, sql } from "../../platform/db/db.ts";
import type { Db, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export type GrantRow = Selectable<Tables["oauth_grant"]>;

export async function insertGrant(tx: Tx, grant: Omit<GrantRow, "code_used_at">): Promise<void> {
  await tx.query.insertInto("oauth_grant").values(grant).execute();
}

/** A grant with the state of its key. */
export interface HeldGrant extends GrantRow {
  readonly tag: Tag;
  readonly scopes: string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/**
 * Marks the code as used, and returns its grant. Of concurrent calls, only one marks it: `isFirst` is false for the others, and for
 * every later one.
 */
export async function takeCode(
  tx: Tx,
  codeHash: Buffer,
  now: Date,
): Promise<{ readonly grant: HeldGrant; readonly isFirst: boolean } | undefined> {
  const { numUpdatedRows } = await tx.query
    .updateTable("oauth_grant")
    .set({ code_used_at: now })
    .where("code_hash", "=", codeHash)
    .where("code_used_at", "is", null)
    .executeTakeFirst();
  const grant = await grants(tx.query).where("g.code_hash", "=", codeHash).executeTakeFirst();
  return grant === undefined ? undefined : { grant, isFirst: numUpdatedRows > 0n };
}

/** Does the same for a refresh token. */
export async function takeRefreshToken(
  tx: Tx,
  tokenHash: Buffer,
  now: Date,
): Promise<{ readonly grant: HeldGrant; readonly isFirst: boolean } | undefined> {
  const { numUpdatedRows } = await tx.query
    .updateTable("oauth_token")
    .set({ used_at: now })
    .where("token_hash", "=", tokenHash)
    .where("kind", "=", "refresh")
    .where("used_at", "is", null)
    .executeTakeFirst();
  const grant = await grantOfToken(tx.query, tokenHash);
  return grant === undefined ? undefined : { grant, isFirst: numUpdatedRows > 0n };
}

export async function grantOfToken(query: Query, tokenHash: Buffer): Promise<HeldGrant | undefined> {
  return await grants(query)
    .innerJoin("oauth_token as t", "t.key_id", "g.key_id")
    .where("t.token_hash", "=", tokenHash)
    .executeTakeFirst();
}

export async function insertTokens(
  tx: Tx,
  tokens: readonly Omit<Selectable<Tables["oauth_token"]>, "used_at">[],
): Promise<void> {
  await tx.query
    .insertInto("oauth_token")
    .values([...tokens])
    .execute();
}

/** Ends a grant: its key is revoked, so that each of its tokens fails with its next request. */
export async function endGrant(tx: Tx, keyId: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .execute();
}

/** A grant as its list shows it. */
export interface ListedGrant extends HeldGrant {
  /** The id of its key. */
  readonly id: Uuid;
  readonly member_name: string;
  readonly used_at: Date | null;
}

/** Returns the grants of an environment whose app has fetched its tokens and that have not ended, newest first. */
export async function listGrants(
  query: Query,
  of: { readonly tag: Tag; readonly memberId: Uuid | null; readonly now: Date },
  page: { readonly before?: Uuid | undefined; readonly limit: number },
): Promise<ListedGrant[]> {
  const found = listed(query)
    .where("k.tag", "=", of.tag)
    .where("k.revoked_at", "is", null)
    .where("k.expires_at", ">", of.now)
    .where("g.code_used_at", "is not", null)
    .$call(newestFirst(page, "g.key_id"))
    .limit(page.limit);
  return await (of.memberId === null ? found : found.where("g.member_id", "=", of.memberId)).execute();
}

/** Returns the number of grants of all workspaces that have not ended. */
export async function countGrants({ query }: Db, now: Date): Promise<number> {
  const row = await grants(query)
    .clearSelect()
    .select(({ fn }) => fn.countAll<string>().as("n"))
    .where("k.revoked_at", "is", null)
    .where("k.expires_at", ">", now)
    .where("g.code_used_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/**
 * Returns the number of a member's grants in an environment that have not ended, with the consents that wait for their app. Holds a
 * lock, so that concurrent consents count each other.
 */
export async function countOfMember(
  tx: Tx,
  { tag, memberId, now }: { readonly tag: Tag; readonly memberId: Uuid; readonly now: Date },
): Promise<number> {
  await lockName(tx, `connected apps ${memberId}`);
  const row = await grants(tx.query)
    .clearSelect()
    .select(({ fn }) => fn.countAll<string>().as("n"))
    .where("k.tag", "=", tag)
    .where("g.member_id", "=", memberId)
    .where("k.revoked_at", "is", null)
    .where("k.expires_at", ">", now)
    .where(({ eb, or }) => or([eb("g.code_used_at", "is not", null), eb("g.code_expires_at", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

export async function findGrant(query: Query, tag: Tag, keyId: Uuid): Promise<ListedGrant | undefined> {
  return await listed(query).where("k.tag", "=", tag).where("g.key_id", "=", keyId).executeTakeFirst();
}

/** Deletes expired tokens, the tokens of grants that ended, and consents whose code was not used. */
export async function deleteEnded(db: Db, before: { readonly now: Date; readonly ended: Date }): Promise<void> {
  await db.query.deleteFrom("oauth_token").where("expires_at", "<", before.now).execute();
  const ended = db.query.selectFrom("api_key").select("id").where("granted_by", "is not", null);
  await db.query
    .deleteFrom("oauth_token")
    .where("key_id", "in", ended.where("revoked_at", "<", before.ended))
    .execute();
  const unused = db.query
    .selectFrom("oauth_grant")
    .select("key_id")
    .where("code_used_at", "is", null)
    .where("code_expires_at", "<", before.ended);
  await db.query.deleteFrom("api_key").where("id", "in", unused).execute();
}

function grants(query: Query) {
  return query
    .selectFrom("oauth_grant as g")
    .innerJoin("api_key as k", "k.id", "g.key_id")
    .selectAll("g")
    .select(["k.tag", "k.scopes", "k.expires_at", "k.revoked_at"]);
}

function listed(query: Query) {
  return grants(query)
    .innerJoin("member as m", "m.id", "g.member_id")
    .innerJoin("person as p", "p.id", "m.person_id")
    .leftJoin("key_use as u", (on) =>
      on.onRef("u.bucket", "=", "k.bucket").onRef("u.tag", "=", "k.tag").onRef("u.key_id", "=", "k.id"),
    )
    .select(["k.id", "p.name as member_name", sql<Date | null>`u.used_at`.as("used_at")]);
}
