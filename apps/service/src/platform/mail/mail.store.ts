import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { countOnShards, matching, newestFirst, ofTenant } from "../db/db.ts";
import type { Db, HotStatement, HotWriter, Query, Selectable, Tables } from "../db/db.ts";

export type MailRow = Selectable<Tables["mail"]>;

/** A mail to store, with the names of its columns. */
export interface NewMailRow {
  readonly id: Uuid;
  readonly purpose: string;
  readonly member_id: Uuid | null;
  readonly recipient: string | null;
  readonly facts: string;
  readonly digest: string | null;
  readonly delay_s: number;
  /** The least number of seconds after the previous mail of the same purpose for the member. */
  readonly spacing_s: number;
}

/**
 * Stores mails, unless `$5` mails of the workspace are waiting. Those of a digest that still waits join it: they store
 * nothing.
 */
const INSERT: HotStatement = {
  name: "mail_insert",
  text: `insert into mail (bucket, tag, workspace_id, id, purpose, member_id, recipient, facts, tenant, digest, due_at)
    select $1::smallint, $2::text, $3::uuid, m.id, m.purpose, m.member_id, m.recipient, m.facts, m.facts::jsonb ->> 'tenant', m.digest,
      greatest(now() + m.delay_s * interval '1 second', coalesce((select max(e.ended_at) from mail e where e.bucket = $1 and e.tag = $2
        and e.member_id = m.member_id and e.purpose = m.purpose and e.state = 'sent'), '-infinity') + m.spacing_s * interval '1 second')
    from jsonb_to_recordset($4::jsonb) as m(id uuid, purpose text, member_id uuid, recipient text, facts text, digest text, delay_s int, spacing_s int)
    where (select count(*) from (select from mail w where w.bucket = $1 and w.tag = $2 and w.due_at is not null limit $5) w) < $5
    on conflict do nothing returning id`,
};

/** Ends a try. Has no effect if the lease has passed to another node. */
const SETTLE: HotStatement = {
  name: "mail_settle",
  text: `update mail set state = $5, recipient = coalesce($6, recipient), error_class = $7, error = $8, lease_id = null,
      due_at = case when $5 = 'waiting' then now() + $9 * interval '1 second' end,
      facts = case when $5 = 'waiting' then facts end, ended_at = case when $5 = 'waiting' then null else now() end
    where bucket = $1 and tag = $2 and id = $3 and lease_id = $4 returning id`,
};

/** A mail about an account whose address no person has leaves no trace. */
const REMOVE: HotStatement = {
  name: "mail_remove",
  text: "delete from mail where bucket = $1 and tag = $2 and id = $3 and lease_id = $4",
};

const WAITING: HotStatement = {
  name: "mail_waiting",
  text: "select count(*)::int as n from mail where due_at is not null",
};

const TAKE: HotStatement = {
  name: "mail_rate_take",
  text: "select granted, retry_seconds from rate_take($1::smallint, $2, 'mail.send', $3, $4, 1)",
};

/** Returns the number of stored mails. */
export async function insertMails(
  writer: Pick<HotWriter, "hot">,
  { bucket, tag, workspaceId }: Omit<TenantKey, "tag"> & { readonly tag: string; readonly workspaceId: Uuid | null },
  mails: readonly NewMailRow[],
  most: number,
): Promise<number> {
  return (await writer.hot(INSERT, [bucket, tag, workspaceId, JSON.stringify(mails), most])).length;
}

export interface MailEnd {
  readonly state: "waiting" | "sent" | "failed" | "skipped";
  readonly recipient: string | null;
  readonly errorClass: string | null;
  readonly error: string | null;
  /** The delay of the next try. */
  readonly delaySeconds: number;
}

/** Returns whether the try was this node's own. */
export async function settleMail(
  db: Db,
  { bucket, tag, id, lease_id: lease }: MailRow,
  end: MailEnd,
): Promise<boolean> {
  const { state, recipient, errorClass, error, delaySeconds } = end;
  const key = [bucket, tag, id, lease];
  return (await db.hot(SETTLE, [...key, state, recipient, errorClass, error, delaySeconds])).length > 0;
}

export async function removeMail(db: Db, { bucket, tag, id, lease_id: lease }: MailRow): Promise<void> {
  await db.hot(REMOVE, [bucket, tag, id, lease]);
}

export async function countWaiting(db: Db): Promise<number> {
  return await countOnShards(db, WAITING);
}

/** Counts one mail of a subject. Returns the seconds to wait if there were too many. */
export async function takeMail(
  db: Db,
  bucket: number,
  { subject, perMinute, perHour }: { readonly subject: string; readonly perMinute: number; readonly perHour: number },
): Promise<number | undefined> {
  const values = [bucket, subject, perMinute, perHour];
  const [row] = await db.soft<{ granted: number; retry_seconds: number }>(TAKE, values);
  return row === undefined || row.granted === 1 ? undefined : row.retry_seconds;
}

/** Returns the newest mails first. */
export async function listMails(
  query: Query,
  place: TenantKey,
  filter: { readonly state: string | undefined; readonly purpose: string | undefined },
  page: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<MailRow[]> {
  const rows = query.selectFrom("mail").selectAll().$call(ofTenant(place)).$call(matching(filter));
  return await rows.$call(newestFirst(page)).limit(page.limit).execute();
}
