import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type SlackAppRow = Selectable<Tables["slack_app"]>;
export type SlackLinkRow = Selectable<Tables["slack_link"]>;

/** Creates or replaces the app of an environment. An app that exists keeps its id, and so its request URL. */
export async function putSlackApp(tx: Tx, row: Omit<SlackAppRow, "updated_at">): Promise<SlackAppRow> {
  return await tx.query
    .insertInto("slack_app")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["bucket", "tag"]).doUpdateSet({ team_id: row.team_id, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findSlackApp(query: Query, place: TenantKey): Promise<SlackAppRow | undefined> {
  return await query.selectFrom("slack_app").selectAll().$call(ofTenant(place)).executeTakeFirst();
}

/** Returns the app with this id, unless its workspace is closed. */
export async function openSlackApp(query: Query, place: TenantKey, id: Uuid): Promise<SlackAppRow | undefined> {
  return await query
    .selectFrom("slack_app as a")
    .innerJoin("workspace as w", "w.id", "a.workspace_id")
    .selectAll("a")
    .where("a.bucket", "=", place.bucket)
    .where("a.tag", "=", place.tag)
    .where("a.id", "=", id)
    .where("w.closed_at", "is", null)
    .executeTakeFirst();
}

/** Returns whether there was an app. */
export async function deleteSlackApp(tx: Tx, place: TenantKey): Promise<boolean> {
  const gone = await tx.query.deleteFrom("slack_app").$call(ofTenant(place)).returning("id").executeTakeFirst();
  return gone !== undefined;
}

export async function deleteAllLinks(tx: Tx, place: TenantKey): Promise<void> {
  await tx.query.deleteFrom("slack_link").$call(ofTenant(place)).execute();
}

export interface NewCode {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly memberId: Uuid;
  readonly codeHash: Buffer;
  readonly expiresAt: Date;
}

/** Stores a code, which replaces the member's earlier ones. */
export async function insertCode(tx: Tx, { bucket, tag }: TenantKey, code: NewCode): Promise<void> {
  await tx.query
    .deleteFrom("slack_link")
    .$call(ofTenant({ bucket, tag }))
    .where("member_id", "=", code.memberId)
    .where("linked_at", "is", null)
    .execute();
  await tx.query
    .insertInto("slack_link")
    .values({
      bucket,
      tag,
      id: code.id,
      workspace_id: code.workspaceId,
      member_id: code.memberId,
      code_hash: code.codeHash,
      code_expires_at: code.expiresAt,
      team_id: null,
      slack_user_id: null,
      linked_at: null,
    })
    .execute();
}

export interface SlackAccount {
  readonly teamId: string;
  readonly userId: string;
}

/**
 * Uses up the code that has this hash: it then names the Slack account. Earlier links of the account, and of the member,
 * end. Returns undefined if there is no such code, or if its member's account was taken back since it was made.
 */
export async function useCode(
  tx: Tx,
  place: TenantKey,
  { teamId, userId }: SlackAccount,
  { codeHash, now, lifeMs }: { readonly codeHash: Buffer; readonly now: Date; readonly lifeMs: number },
): Promise<(SlackLinkRow & { readonly person_id: Uuid }) | undefined> {
  const found = await tx.query
    .selectFrom("slack_link")
    .selectAll()
    .$call(ofTenant(place))
    .where("code_hash", "=", codeHash)
    .where("code_expires_at", ">", now)
    .forUpdate()
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const madeAt = (found.code_expires_at?.getTime() ?? 0) - lifeMs;
  const member = await tx.query
    .selectFrom("member")
    .select(["person_id", "recovered_at"])
    .where("id", "=", found.member_id)
    .executeTakeFirst();
  if (member === undefined || (member.recovered_at?.getTime() ?? 0) >= madeAt) return undefined;
  await tx.query
    .deleteFrom("slack_link")
    .$call(ofTenant(place))
    .where("linked_at", "is not", null)
    .where((one) =>
      one.or([
        one("member_id", "=", found.member_id),
        one.and([one("team_id", "=", teamId), one("slack_user_id", "=", userId)]),
      ]),
    )
    .execute();
  const linked = await tx.query
    .updateTable("slack_link")
    .set({ team_id: teamId, slack_user_id: userId, linked_at: now, code_hash: null, code_expires_at: null })
    .$call(ofTenant(place))
    .where("id", "=", found.id)
    .returningAll()
    .executeTakeFirst();
  return linked === undefined ? undefined : { ...linked, person_id: member.person_id };
}

/** Selects the links that count: a link from before its member's account was taken back does not. */
function counting(query: Query, { bucket, tag }: TenantKey) {
  return query
    .selectFrom("slack_link as l")
    .innerJoin("member as m", "m.id", "l.member_id")
    .selectAll("l")
    .where("l.bucket", "=", bucket)
    .where("l.tag", "=", tag)
    .where(({ eb, or }) => or([eb("m.recovered_at", "is", null), eb("l.linked_at", ">", eb.ref("m.recovered_at"))]));
}

/** Returns the link of a Slack account, if it counts. */
export async function linkOfAccount(
  query: Query,
  place: TenantKey,
  { teamId, userId }: SlackAccount,
): Promise<SlackLinkRow | undefined> {
  return await counting(query, place)
    .where("l.team_id", "=", teamId)
    .where("l.slack_user_id", "=", userId)
    .where("l.linked_at", "is not", null)
    .executeTakeFirst();
}

/** Returns the links of all members, or of one, the newest first. */
export async function listLinks(
  query: Query,
  place: TenantKey,
  memberId: Uuid | undefined,
  { before, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<SlackLinkRow[]> {
  let rows = counting(query, place).where("l.linked_at", "is not", null).orderBy("l.id", "desc").limit(limit);
  if (memberId !== undefined) rows = rows.where("l.member_id", "=", memberId);
  if (before !== undefined) rows = rows.where("l.id", "<", before);
  return await rows.execute();
}

/** Ends a link: of one member, or of any. Returns whether there was one. */
export async function deleteLink(tx: Tx, place: TenantKey, id: Uuid, memberId: Uuid | undefined): Promise<boolean> {
  let gone = tx.query.deleteFrom("slack_link").$call(ofTenant(place)).where("id", "=", id);
  if (memberId !== undefined) gone = gone.where("member_id", "=", memberId);
  return (await gone.returning("id").executeTakeFirst()) !== undefined;
}
