import { sql } from "../db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../db/db.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";

export type InboxRow = Selectable<Tables["inbox"]>;
export type MessageRow = Selectable<Tables["inbox_message"]>;

interface Place {
  readonly bucket: number;
  readonly tag: Tag;
}

export interface MessageInsert {
  readonly bucket: number;
  readonly token: string;
  readonly id: Uuid;
  readonly delivery_id: string | null;
  readonly event: string | null;
  /** JSON text. */
  readonly headers: string;
  readonly body: string;
  readonly signature: string;
  readonly answered: number;
  /** Kept until it is taken, beside the last 200. */
  readonly waiting: boolean;
}

/** How many messages an inbox keeps. */
const KEPT = 200;

export async function insertInbox(
  tx: Tx,
  inbox: Place & { readonly token: string; readonly workspace_id: Uuid },
): Promise<void> {
  await tx.query
    .insertInto("inbox")
    .values({ ...inbox, behaviour: "{}" })
    .execute();
}

export async function findInbox(query: Query, token: string): Promise<InboxRow | undefined> {
  return await query.selectFrom("inbox").selectAll().where("token", "=", token).executeTakeFirst();
}

export async function setBehaviour(query: Query, token: string, behaviour: object): Promise<void> {
  await query
    .updateTable("inbox")
    .set({ behaviour: JSON.stringify(behaviour) })
    .where("token", "=", token)
    .execute();
}

/** Uses up one of the failures that the inbox was told to make; false when others took the last. */
export async function takeFailure(query: Query, token: string): Promise<boolean> {
  const { rows } = await sql`update inbox
    set behaviour = jsonb_set(behaviour, '{fail_times}', to_jsonb((behaviour ->> 'fail_times')::int - 1))
    where token = ${token} and (behaviour ->> 'fail_times')::int > 0 returning 1`.execute(query);
  return rows.length > 0;
}

export async function setTestSecret(
  query: Query,
  place: Place,
  of: { readonly token: string; readonly sealed: Buffer },
): Promise<void> {
  await query
    .updateTable("inbox")
    .set({ secret_sealed: of.sealed })
    .where("token", "=", of.token)
    .where("bucket", "=", place.bucket)
    .where("tag", "=", place.tag)
    .execute();
}

/**
 * Inserts the message and drops what is older than the last 200 and does not wait to be taken. A template: the two are one statement.
 * Rows that a concurrent message is dropping are skipped, so that no two wait for each other.
 */
export async function keepMessage(query: Query, message: MessageInsert): Promise<void> {
  const { bucket, token, id } = message;
  await sql`with kept as (
      insert into inbox_message (bucket, token, id, delivery_id, event, headers, body, signature, answered, waiting)
      values (${bucket}, ${token}, ${id}, ${message.delivery_id}, ${message.event}, ${message.headers}, ${message.body},
        ${message.signature}, ${message.answered}, ${message.waiting})
    ), oldest as (
      select id from inbox_message where bucket = ${bucket} and token = ${token} order by id desc offset ${KEPT - 2} limit 1
    )
    delete from inbox_message where bucket = ${bucket} and token = ${token} and id in (
      select id from inbox_message where bucket = ${bucket} and token = ${token} and id < (select id from oldest) and not waiting
      for update skip locked)`.execute(query);
}

/** Newest first. */
export async function latestMessages(
  query: Query,
  inbox: Pick<InboxRow, "bucket" | "token">,
  limit: number,
): Promise<MessageRow[]> {
  return await query
    .selectFrom("inbox_message")
    .selectAll()
    .where("bucket", "=", inbox.bucket)
    .where("token", "=", inbox.token)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
