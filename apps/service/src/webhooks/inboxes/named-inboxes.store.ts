import { NIL_UUID } from "../../lib/lib.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { newestFirst, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import type { InboxRow, MessageRow } from "./inbox.store.ts";

/** Inserts an inbox, unless the name is taken. */
export async function insertNamed(
  query: Query,
  inbox: TenantKey & {
    readonly id: Uuid;
    readonly token: string;
    readonly token_sealed: Buffer;
    readonly workspace_id: Uuid;
    readonly name: string;
  },
): Promise<void> {
  await query
    .insertInto("inbox")
    .values({ ...inbox, behaviour: "{}" })
    .onConflict((conflict) => conflict.columns(["bucket", "tag", "name"]).where("name", "is not", null).doNothing())
    .execute();
}

export async function findNamed(query: Query, place: TenantKey, name: string): Promise<InboxRow | undefined> {
  return await query.selectFrom("inbox").selectAll().$call(ofTenant(place)).where("name", "=", name).executeTakeFirst();
}

/** Lists the named inboxes, newest first. */
export async function listNamed(
  query: Query,
  place: TenantKey,
  before: Uuid | undefined,
  limit: number,
): Promise<InboxRow[]> {
  return await query
    .selectFrom("inbox")
    .selectAll()
    .$call(ofTenant(place))
    .where("name", "is not", null)
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

/** Deletes the inbox and its messages. Returns false if it did not exist. */
export async function deleteNamed(query: Query, place: TenantKey, name: string): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("inbox")
    .$call(ofTenant(place))
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

type InboxKey = Pick<InboxRow, "bucket" | "token">;

/** Returns the waiting messages, oldest first. */
export async function waitingMessages(
  query: Query,
  inbox: InboxKey,
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<MessageRow[]> {
  const rows = query
    .selectFrom("inbox_message")
    .selectAll()
    .where("bucket", "=", inbox.bucket)
    .where("token", "=", inbox.token)
    .where("waiting", "=", true)
    .where("id", ">", after ?? NIL_UUID)
    .orderBy("id");
  return await pageRows(query, rows, { limit, large: ["body"] });
}

/** Counts waiting messages, up to `most`. */
export async function countWaiting(query: Query, inbox: InboxKey, most: number): Promise<number> {
  return (await countsWaiting(query, [inbox], most)).get(inbox.token) ?? 0;
}

/** Counts waiting messages of several inboxes of one bucket, by their tokens. */
export async function countsWaiting(
  query: Query,
  inboxes: readonly InboxKey[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const tokens = inboxes.map(({ token }) => token);
  const { rows } = await sql<{ readonly token: string; readonly count: number }>`
    select t.token, (select count(*)::int from (
      select from inbox_message m where m.bucket = ${inboxes[0]?.bucket ?? 0} and m.token = t.token and m.waiting limit ${most}) found) as count
    from unnest(${tokens}::text[]) t(token)`.execute(query);
  return new Map(rows.map(({ token, count }) => [token, count]));
}

/** Marks messages as taken. Returns how many of them were waiting. */
export async function takeMessages(query: Query, inbox: InboxKey, ids: readonly Uuid[]): Promise<number> {
  const { numUpdatedRows } = await query
    .updateTable("inbox_message")
    .set({ waiting: false })
    .where("bucket", "=", inbox.bucket)
    .where("token", "=", inbox.token)
    .where("id", "in", [...ids])
    .where("waiting", "=", true)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
