import { sql } from "../db/db.ts";
import type { Query } from "../db/db.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { InboxRow, MessageRow } from "./inbox.store.ts";

interface Place {
  readonly bucket: number;
  readonly tag: Tag;
}

/** Nothing where the name is taken. */
export async function insertNamed(
  query: Query,
  inbox: Place & { readonly token: string; readonly workspace_id: Uuid; readonly name: string },
): Promise<void> {
  await query
    .insertInto("inbox")
    .values({ ...inbox, behaviour: "{}" })
    .onConflict((conflict) => conflict.columns(["bucket", "tag", "name"]).where("name", "is not", null).doNothing())
    .execute();
}

export async function findNamed(query: Query, place: Place, name: string): Promise<InboxRow | undefined> {
  return await query
    .selectFrom("inbox")
    .selectAll()
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .where("name", "=", name)
    .executeTakeFirst();
}

type InboxKey = Pick<InboxRow, "bucket" | "token">;

/** Oldest first. */
export async function waitingMessages(query: Query, inbox: InboxKey, limit: number): Promise<MessageRow[]> {
  return await query
    .selectFrom("inbox_message")
    .selectAll()
    .where("bucket", "=", inbox.bucket)
    .where("token", "=", inbox.token)
    .where("waiting", "=", true)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** How many wait, counted no further than `most`. */
export async function countWaiting(query: Query, inbox: InboxKey, most: number): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`select count(*)::int as count from (
    select from inbox_message where bucket = ${inbox.bucket} and token = ${inbox.token} and waiting limit ${most}) found`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}

/** Answers how many of them waited until now. */
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
