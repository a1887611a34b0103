import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type InboxRow = Selectable<Tables["inbox"]>;
export type MessageRow = Selectable<Tables["inbox_message"]>;

export interface MessageInsert {
  readonly bucket: number;
  readonly keys: Keys;
  readonly id: Uuid;
  readonly delivery_id: string | null;
  readonly event: string | null;
  /** The headers as JSON text. */
  readonly headers: string;
  readonly body: string;
  readonly signature: string;
  readonly answered: number;
  /** True if the message is kept until it is taken, in addition to the last 200. */
  readonly waiting: boolean;
}

/** The keys that the row of a token may have. */
type Keys = readonly string[];

/** The number of messages that an inbox keeps. */
const KEPT = 200;

export async function insertInbox(
  tx: Tx,
  inbox: TenantKey & { readonly token: string; readonly token_sealed: Buffer; readonly workspace_id: Uuid },
): Promise<void> {
  await tx.query
    .insertInto("inbox")
    .values({ ...inbox, behaviour: "{}" })
    .execute();
}

export async function findInbox(query: Query, keys: Keys): Promise<InboxRow | undefined> {
  return await query
    .selectFrom("inbox")
    .selectAll()
    .where("token", "in", [...keys])
    .executeTakeFirst();
}

export async function setBehaviour(query: Query, keys: Keys, behaviour: object): Promise<void> {
  await query
    .updateTable("inbox")
    .set({ behaviour: JSON.stringify(behaviour) })
    .where("token", "in", [...keys])
    .execute();
}

/** Uses up one of the configured failures of the inbox. Returns false if none is left. */
export async function takeFailure(query: Query, keys: Keys): Promise<boolean> {
  const { rows } = await sql`update public.inbox
    set behaviour = jsonb_set(behaviour, '{fail_times}', ((behaviour ->> 'fail_times')::int - 1)::text::jsonb)
    where token = any(${keys}) and (behaviour ->> 'fail_times')::int > 0 returning 1`.execute(query);
  return rows.length > 0;
}

export async function setTestSecret(
  query: Query,
  place: TenantKey,
  inbox: { readonly token: string; readonly sealed: Buffer },
): Promise<void> {
  await query
    .updateTable("inbox")
    .set({ secret_sealed: inbox.sealed })
    .where("token", "=", inbox.token)
    .$call(ofTenant(place))
    .execute();
}

/**
 * Inserts the message, and deletes messages that are older than the last 200 and do not wait to be taken. A template,
 * because the two are one statement. Rows that a concurrent message is deleting are skipped, so that no two statements
 * wait for each other. The inbox's row is locked, because its key changes when the token of a row of the previous
 * version is sealed.
 */
export async function keepMessage(query: Query, message: MessageInsert): Promise<void> {
  const { bucket, id } = message;
  await sql`with home as materialized (select token from inbox where token = any(${message.keys}) for key share),
    kept as (
      insert into inbox_message (bucket, token, id, delivery_id, event, headers, body, signature, answered, waiting)
      select ${bucket}::smallint, token, ${id}::uuid, ${message.delivery_id}, ${message.event}, ${message.headers}::jsonb, ${message.body},
        ${message.signature}, ${message.answered}::smallint, ${message.waiting}::boolean from home
    ), oldest as (
      select id from inbox_message where bucket = ${bucket} and token = (select token from home)
      order by id desc offset ${KEPT - 2} limit 1
    )
    delete from inbox_message where bucket = ${bucket} and token = (select token from home) and id in (
      select id from inbox_message where bucket = ${bucket} and token = (select token from home)
        and id < (select id from oldest) and not waiting
      for update skip locked)`.execute(query);
}

/** Returns the messages, newest first, and fewer than asked for when they are large. */
export async function latestMessages(
  query: Query,
  inbox: Pick<InboxRow, "bucket" | "token">,
  limit: number,
): Promise<MessageRow[]> {
  const rows = query
    .selectFrom("inbox_message")
    .selectAll()
    .where("bucket", "=", inbox.bucket)
    .where("token", "=", inbox.token)
    .orderBy("id", "desc");
  return await pageRows(query, rows, { limit, large: ["body"] });
}
