import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { countOnShards, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, HotWriter, Query, Selectable, Tables } from "../../platform/db/db.ts";

export type AnnouncementRow = Selectable<Tables["approval_announcement"]>;

/** An announcement to store, with the names of its columns. */
export interface NewAnnouncement {
  readonly id: Uuid;
  readonly channel_id: Uuid;
  readonly proposal_id: Uuid;
  readonly after_minutes: number;
}

const INSERT: HotStatement = {
  name: "approval_announcement_insert",
  text: `insert into approval_announcement (bucket, tag, workspace_id, id, channel_id, proposal_id, due_at)
    select $1::smallint, $2::text, $3::uuid, a.id, a.channel_id, a.proposal_id, now() + a.after_minutes * interval '1 minute'
    from jsonb_to_recordset($4::jsonb) as a(id uuid, channel_id uuid, proposal_id uuid, after_minutes int)
    on conflict do nothing returning id`,
};

/** A message that shows something else than its proposal's current state. Messages that wait for a retry keep their turn. */
const STALE = `a.state = 'announced' and a.lease_id is null and a.attempts = 0 and (a.due_at is null or a.due_at > now())
  and (p.state, jsonb_array_length(p.approvals)) is distinct from (a.shown_state, a.shown_approvals)`;
const STALE_BUCKETS: HotStatement = {
  name: "approval_announcement_stale_buckets",
  text: `select distinct a.bucket from approval_announcement a
    join action_proposal p on p.bucket = a.bucket and p.tag = a.tag and p.id = a.proposal_id where ${STALE}`,
};
const MARK_STALE: HotStatement = {
  name: "approval_announcement_mark_stale",
  text: `update approval_announcement u set due_at = now()
    from (select a.tag, a.id from approval_announcement a
      join action_proposal p on p.bucket = $1 and p.tag = a.tag and p.id = a.proposal_id
      where a.bucket = $1 and ${STALE} limit $2 for update of a skip locked) d
    where u.bucket = $1 and u.tag = d.tag and u.id = d.id`,
};

/** The class of a try that Slack postponed: it has too many messages. */
export const LIMITED = "ratelimited";

/**
 * Ends a try. Has no effect if the lease has passed to another node. A try that succeeded sets the count back, and one
 * that was postponed does not count.
 */
const SETTLE: HotStatement = {
  name: "approval_announcement_settle",
  text: `update approval_announcement set state = $5, shown_state = $6, shown_approvals = $7, slack_channel_id = $8, slack_ts = $9,
      reminders = $10, attempts = case when $11::text is null then 0 when $11 = '${LIMITED}' then 1 else attempts end, error_class = $11, error = $12, lease_id = null,
      due_at = case when $5 in ('waiting', 'announced') then now() + $13 * interval '1 second' end,
      announced_at = case when $5 = 'announced' then coalesce(announced_at, now()) else announced_at end,
      ended_at = case when $5 in ('waiting', 'announced') then null else now() end
    where bucket = $1 and tag = $2 and id = $3 and lease_id = $4 returning id`,
};

const OVERDUE: HotStatement = {
  name: "approval_announcement_overdue",
  text: `select count(*)::int as n from approval_announcement where due_at is not null
    and (due_at < now() - interval '1 minute' or attempts > 1)`,
};

export async function countOverdue(db: Db): Promise<number> {
  return await countOnShards(db, OVERDUE);
}

export async function insertAnnouncements(
  writer: Pick<HotWriter, "hot">,
  { bucket, tag, workspaceId }: TenantKey & { readonly workspaceId: Uuid },
  rows: readonly NewAnnouncement[],
): Promise<void> {
  await writer.hot(INSERT, [bucket, tag, workspaceId, JSON.stringify(rows)]);
}

/** Returns the buckets with messages that do not show what has become of their proposal. */
export async function staleBuckets(db: Db): Promise<number[]> {
  const rows = await db.onEachShard(async () => await db.hot<{ bucket: number }>(STALE_BUCKETS, []));
  return rows.map(({ bucket }) => bucket);
}

/** Makes those of one bucket due. */
export async function markStale(db: Db, bucket: number, limit: number): Promise<void> {
  await db.hot(MARK_STALE, [bucket, limit]);
}

export interface AnnouncementEnd extends Pick<
  AnnouncementRow,
  "shown_state" | "shown_approvals" | "slack_channel_id" | "slack_ts" | "reminders" | "error_class" | "error"
> {
  readonly state: "waiting" | "announced" | "closed" | "skipped" | "failed";
  /** The delay of the next turn. Null: nothing is due until the proposal changes. */
  readonly delaySeconds: number | null;
}

/** Returns whether the try was this node's own. */
export async function settleAnnouncement(
  writer: Pick<HotWriter, "hot">,
  { bucket, tag, id, lease_id: lease }: AnnouncementRow,
  end: AnnouncementEnd,
): Promise<boolean> {
  const shown = [end.state, end.shown_state, end.shown_approvals, end.slack_channel_id, end.slack_ts, end.reminders];
  const values = [bucket, tag, id, lease, ...shown, end.error_class, end.error, end.delaySeconds];
  return (await writer.hot(SETTLE, values)).length > 0;
}

export async function findAnnouncement(query: Query, place: TenantKey, id: Uuid): Promise<AnnouncementRow | undefined> {
  return await query
    .selectFrom("approval_announcement")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Records where a message stands whose sending was not recorded, because its node was lost. */
export async function adoptMessage(
  query: Query,
  place: TenantKey,
  id: Uuid,
  message: { readonly channelId: string; readonly ts: string },
): Promise<void> {
  await query
    .updateTable("approval_announcement")
    .set({ slack_channel_id: message.channelId, slack_ts: message.ts })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("slack_ts", "is", null)
    .execute();
}

/** Returns the newest announcements of a channel first. */
export async function listAnnouncements(
  query: Query,
  place: TenantKey,
  channelId: Uuid,
  { before, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<AnnouncementRow[]> {
  const rows = query
    .selectFrom("approval_announcement")
    .selectAll()
    .$call(ofTenant(place))
    .where("channel_id", "=", channelId)
    .orderBy("id", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

/** Returns the ids of the open proposals that a channel has announced, oldest first. */
export async function openProposalsOf(
  query: Query,
  place: TenantKey,
  channelId: Uuid,
  limit: number,
): Promise<readonly Uuid[]> {
  const rows = await query
    .selectFrom("approval_announcement as a")
    .innerJoin("action_proposal as p", (join) =>
      join.onRef("p.bucket", "=", "a.bucket").onRef("p.tag", "=", "a.tag").onRef("p.id", "=", "a.proposal_id"),
    )
    .select("p.id")
    .where("a.bucket", "=", place.bucket)
    .where("a.tag", "=", place.tag)
    .where("a.channel_id", "=", channelId)
    .where("a.state", "=", "announced")
    .where("p.state", "=", "proposed")
    .where("p.expires_at", ">", sql<Date>`now()`)
    .orderBy("p.id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
