import type { Db, HotStatement } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import type { TargetKey } from "../endpoints/targets.ts";

/** All statements in this file are hot: they run for every pull or message. Offsets are exact as numbers. */

export type LogKey = TargetKey;

export interface Numbered {
  readonly numbered: number;
  /** True if messages wait for their transformation. */
  readonly unprepared: boolean;
  readonly last: number;
}

const NUMBER: HotStatement = {
  name: "pull_number",
  text: `select numbered, unprepared, last_offset::float8 as last from pull_number($1::smallint, $2, $3, $4)`,
};

/** Gives offsets to up to `most` messages that are ready. */
export async function numberReady(db: Db, { bucket, tag, endpointId }: LogKey, most: number): Promise<Numbered> {
  const [row] = await db.hot<Numbered & Record<string, unknown>>(NUMBER, [bucket, tag, endpointId, most]);
  return row ?? { numbered: 0, unprepared: false, last: 0 };
}

/** Deliveries of nodes of the version before, and replayed ones. */
const ADOPT: HotStatement = {
  name: "pull_adopt",
  text: `update pending_delivery set xact = pg_current_xact_id() where bucket = $1 and tag = $2 and endpoint_id = $3 and xact is null`,
};

/** Lets deliveries without a transaction come next. */
export async function adopt(db: Db, { bucket, tag, endpointId }: LogKey): Promise<void> {
  await db.hot(ADOPT, [bucket, tag, endpointId]);
}

const JUDGED: HotStatement = {
  name: "pull_judged",
  text: `update pending_delivery set last_error_class = null where bucket = $1 and tag = $2 and id = any($3::uuid[]) and lease_id = $4`,
};

/** Records that deliveries passed a filter that was too expensive before. */
export async function markJudged(
  db: Db,
  { bucket, tag }: TenantKey,
  ids: readonly Uuid[],
  leaseId: Uuid,
): Promise<void> {
  await db.hot(JUDGED, [bucket, tag, ids, leaseId]);
}

export interface LastOffset {
  readonly endpoint_id: Uuid;
  readonly last: number;
}

const LASTS: HotStatement = {
  name: "pull_lasts",
  text: `select l.endpoint_id, l.last_offset::float8 as last from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    join pull_log l on l.bucket = w.bucket and l.tag = w.tag and l.endpoint_id = w.id`,
};

export async function lastOffsets(db: Db, keys: readonly LogKey[]): Promise<LastOffset[]> {
  return await db.byShard(
    keys,
    ({ bucket }) => bucket,
    async (own) =>
      await db.hot<LastOffset & Record<string, unknown>>(LASTS, [
        own.map(({ bucket }) => bucket),
        own.map(({ tag }) => tag),
        own.map(({ endpointId }) => endpointId),
      ]),
  );
}

export interface ConsumerKey extends LogKey {
  readonly consumer: string;
}

/** A consumer and the log that it reads. */
export interface ReadingState {
  readonly active: boolean;
  readonly first: number;
  readonly last: number;
  readonly epoch: Uuid;
  /** The first offset that is not committed; null for a consumer that has not pulled. */
  readonly position: number | null;
  readonly lease_id: Uuid | null;
  readonly lease_last: number | null;
  readonly lease_key: Buffer | null;
  readonly lease_skipped: number | null;
  readonly lease_expires_at: Date | null;
  /** The seconds until the lease ends; null or at most 0 if it has ended. */
  readonly lease_left: number | null;
  /** True if the last pull was a while ago. */
  readonly is_stale: boolean | null;
}

const STATE: HotStatement = {
  name: "pull_state",
  text: `select e.active, l.first_offset::float8 as first, l.last_offset::float8 as last, l.epoch, c.position::float8 as position,
      c.lease_id, c.lease_last::float8 as lease_last, c.lease_key, c.lease_skipped::float8 as lease_skipped, c.lease_expires_at,
      extract(epoch from c.lease_expires_at - clock_timestamp())::float8 as lease_left,
      c.last_pulled_at < now() - interval '1 minute' as is_stale
    from endpoint e join pull_log l on l.bucket = e.bucket and l.tag = e.tag and l.endpoint_id = e.id
    left join pull_consumer c on c.bucket = e.bucket and c.tag = e.tag and c.endpoint_id = e.id and c.name = $4
    where e.bucket = $1 and e.tag = $2 and e.id = $3 and e.deleted_at is null`,
};

export async function readingState(db: Db, key: ConsumerKey): Promise<ReadingState | undefined> {
  const { bucket, tag, endpointId, consumer } = key;
  const [row] = await db.hot<ReadingState & Record<string, unknown>>(STATE, [bucket, tag, endpointId, consumer]);
  return row;
}

const LOCK: HotStatement = {
  name: "pull_lock",
  text: `select 1 from pull_log where bucket = $1 and tag = $2 and endpoint_id = $3 for update`,
};

const CREATE: HotStatement = {
  name: "pull_consumer_create",
  text: `with log as (select first_offset, last_offset from pull_log where bucket = $1 and tag = $2 and endpoint_id = $3),
    made as (insert into pull_consumer (bucket, tag, endpoint_id, name, position)
      select $1, $2, $3, $4, case when $5 then last_offset + 1 else first_offset end from log
      where (select count(*) from pull_consumer where bucket = $1 and tag = $2 and endpoint_id = $3) < $6
      on conflict do nothing returning 1)
    select exists (select from made) or exists (select from pull_consumer where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4) as is_there`,
};

/** Creates a consumer if it does not exist. Returns false if the endpoint has `most` others. */
export async function createConsumer(
  db: Db,
  { bucket, tag, endpointId, consumer }: ConsumerKey,
  { atEnd, most }: { readonly atEnd: boolean; readonly most: number },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // The next statement counts the consumers that were created until then.
    await tx.hot(LOCK, [bucket, tag, endpointId]);
    const [row] = await tx.hot<{ is_there: boolean }>(CREATE, [bucket, tag, endpointId, consumer, atEnd, most]);
    return row?.is_there ?? false;
  });
}

export interface NewLease {
  readonly id: Uuid;
  /** The position that was read, and the first offset that is leased. They differ if messages between them are behind retention. */
  readonly read: number;
  readonly from: number;
  readonly last: number;
  readonly seconds: number;
  readonly key: Buffer;
  readonly epoch: Uuid;
}

const LEASE: HotStatement = {
  name: "pull_lease",
  text: `update pull_consumer c set position = $6, lease_id = $7, lease_last = $8, lease_seconds = $9, lease_key = $10,
      lease_skipped = nullif($6::bigint - $5::bigint, 0), lease_expires_at = clock_timestamp() + $9::int * interval '1 second', last_pulled_at = clock_timestamp()
    where c.bucket = $1 and c.tag = $2 and c.endpoint_id = $3 and c.name = $4 and c.position = $5
      and (c.lease_expires_at is null or c.lease_expires_at <= clock_timestamp())
      and exists (select from pull_log l where l.bucket = $1 and l.tag = $2 and l.endpoint_id = $3 and l.epoch = $11)
    returning c.lease_expires_at`,
};

/** Leases messages, if nothing has changed since the position was read. Returns the time when the lease ends. */
export async function takeLease(db: Db, key: ConsumerKey, lease: NewLease): Promise<Date | undefined> {
  const [row] = await db.hot<{ lease_expires_at: Date }>(LEASE, [
    key.bucket,
    key.tag,
    key.endpointId,
    key.consumer,
    lease.read,
    lease.from,
    lease.id,
    lease.last,
    lease.seconds,
    lease.key,
    lease.epoch,
  ]);
  return row?.lease_expires_at;
}

const NOTE: HotStatement = {
  name: "pull_note",
  text: `update pull_consumer set position = greatest(position, $5), last_pulled_at = clock_timestamp()
    where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4 and position = $6 returning 1`,
};

/** Records a pull that gets nothing, and moves the position from behind retention. Returns false if the consumer was moved or ended. */
export async function notePull(
  db: Db,
  { bucket, tag, endpointId, consumer }: ConsumerKey,
  { read, from }: { readonly read: number; readonly from: number },
): Promise<boolean> {
  return (await db.hot(NOTE, [bucket, tag, endpointId, consumer, from, read])).length > 0;
}

const COMMIT: HotStatement = {
  name: "pull_commit",
  text: `update pull_consumer set position = greatest(position, coalesce($6::bigint, lease_last) + 1),
      lease_expires_at = case when greatest(position, coalesce($6::bigint, lease_last) + 1) > lease_last then null
        when coalesce($6::bigint, lease_last) < position or lease_expires_at is null then lease_expires_at
        else clock_timestamp() + lease_seconds * interval '1 second' end
    where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4 and lease_id = $5 and coalesce($6::bigint, lease_last) <= lease_last
    returning 1`,
};

/** Moves the position behind an offset, by default behind the last one of the lease. Returns false if the lease does not allow it. */
export async function commitOffset(
  db: Db,
  { bucket, tag, endpointId, consumer }: ConsumerKey,
  leaseId: Uuid,
  offset: number | null,
): Promise<boolean> {
  return (await db.hot(COMMIT, [bucket, tag, endpointId, consumer, leaseId, offset])).length > 0;
}

const RELEASE: HotStatement = {
  name: "pull_release",
  text: `update pull_consumer set lease_expires_at = null
    where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4 and lease_id = $5 returning 1`,
};

/** Ends a lease. Returns false if it is not the consumer's last one. */
export async function releaseLease(
  db: Db,
  { bucket, tag, endpointId, consumer }: ConsumerKey,
  leaseId: Uuid,
): Promise<boolean> {
  return (await db.hot(RELEASE, [bucket, tag, endpointId, consumer, leaseId])).length > 0;
}

/** Wakes the consumer's pulls that wait on any node, if there is something to read. */
const SEEK: HotStatement = {
  name: "pull_seek",
  text: `with sought as (update pull_consumer set position = $5, lease_id = null, lease_expires_at = null
      where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4 returning position, endpoint_id, name)
    select case when l.last_offset >= greatest(s.position, l.first_offset) then pg_notify('junction_pull', s.endpoint_id || ' ' || s.name) end
    from sought s, pull_log l where l.bucket = $1 and l.tag = $2 and l.endpoint_id = $3`,
};

/** Moves the position and ends the lease. Returns false if there is no such consumer. */
export async function moveTo(
  db: Db,
  { bucket, tag, endpointId, consumer }: ConsumerKey,
  position: number,
): Promise<boolean> {
  return (await db.hot(SEEK, [bucket, tag, endpointId, consumer, position])).length > 0;
}

const OFFSET_AT: HotStatement = {
  name: "pull_offset_at",
  text: `select pull_offset_at($1::smallint, $2, $3, $4)::float8 as found`,
};

/** Returns the offset of the first message at or after a time; behind the last one if there is none. */
export async function offsetAt(db: Db, { bucket, tag, endpointId }: LogKey, at: Date): Promise<number> {
  const [row] = await db.hot<{ found: number }>(OFFSET_AT, [bucket, tag, endpointId, at]);
  return row?.found ?? 1;
}

export interface ConsumerRow {
  readonly name: string;
  readonly position: number;
  readonly lag: number;
  readonly epoch: Uuid;
  readonly oldest_unread_at: Date | null;
  readonly lease_expires_at: Date | null;
  readonly last_pulled_at: Date;
}

const CONSUMERS: HotStatement = {
  name: "pull_consumers",
  text: `select c.name, p.position::float8 as position, (l.last_offset - p.position + 1)::float8 as lag, l.epoch,
      (select m.at from pull_message m where m.bucket = $1 and m.tag = $2 and m.endpoint_id = $3 and m.pull_offset = p.position) as oldest_unread_at,
      case when c.lease_expires_at > clock_timestamp() then c.lease_expires_at end as lease_expires_at, c.last_pulled_at
    from pull_consumer c join pull_log l on l.bucket = c.bucket and l.tag = c.tag and l.endpoint_id = c.endpoint_id
      cross join lateral (select greatest(c.position, l.first_offset) as position) p
    where c.bucket = $1 and c.tag = $2 and c.endpoint_id = $3 and ($4::text is null or c.name > $4 collate "C")
    order by c.name limit $5`,
};

/** Returns the consumers after a name, in the order of their names. */
export async function consumersAfter(
  db: Db,
  { bucket, tag, endpointId }: LogKey,
  name: string | undefined,
  limit: number,
): Promise<ConsumerRow[]> {
  return await db.hot<ConsumerRow & Record<string, unknown>>(CONSUMERS, [bucket, tag, endpointId, name ?? null, limit]);
}

/** The consumers that could pull: those of active endpoints. */
const READING = `pull_consumer c join pull_log l on l.bucket = c.bucket and l.tag = c.tag and l.endpoint_id = c.endpoint_id
    join endpoint e on e.bucket = c.bucket and e.tag = c.tag and e.id = c.endpoint_id and e.active and e.deleted_at is null`;

const OLDEST_UNREAD: HotStatement = {
  name: "pull_oldest_unread",
  text: `select max(extract(epoch from clock_timestamp() - m.at))::float8 as age from ${READING}
    join lateral (select at from pull_message m where m.bucket = c.bucket and m.tag = c.tag and m.endpoint_id = c.endpoint_id
      and m.pull_offset = greatest(c.position, l.first_offset)) m on true
    where l.last_offset >= c.position`,
};

/** Returns for how many seconds the oldest message waits for one of its consumers; 0 if none does. */
export async function oldestUnreadAge(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await db.hot<{ age: number | null }>(OLDEST_UNREAD, []));
  return Math.max(0, ...rows.map(({ age }) => age ?? 0));
}

const LARGEST_LAG: HotStatement = {
  name: "pull_largest_lag",
  text: `select max(l.last_offset - greatest(c.position, l.first_offset) + 1)::float8 as lag from ${READING}`,
};

/** Returns the largest number of messages that a consumer has not committed. */
export async function largestLag(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await db.hot<{ lag: number | null }>(LARGEST_LAG, []));
  return Math.max(0, ...rows.map(({ lag }) => lag ?? 0));
}

/** Wakes the consumer's pulls that wait on any node: each begins again, as its client's next pull would. */
const DELETE: HotStatement = {
  name: "pull_consumer_delete",
  text: `with deleted as (delete from pull_consumer where bucket = $1 and tag = $2 and endpoint_id = $3 and name = $4 returning endpoint_id, name)
    select pg_notify('junction_pull', endpoint_id || ' ' || name) from deleted`,
};

export async function deleteConsumer(db: Db, { bucket, tag, endpointId, consumer }: ConsumerKey): Promise<boolean> {
  return (await db.hot(DELETE, [bucket, tag, endpointId, consumer])).length > 0;
}

/** A message as it is stored. */
export interface MessageRow {
  readonly place: number;
  readonly id: Uuid;
  readonly event_id: Uuid;
  readonly event_name: string;
  readonly attempt_count: number;
  /** Null if the event was erased. */
  readonly data: string | null;
  readonly occurred_at: Date | null;
  readonly traceparent: string | null;
  readonly method: string | null;
  /** JSON text of the headers that a transformation made. */
  readonly headers: string | null;
  /** The body that a transformation made; null without one. */
  readonly body: string | null;
}

/**
 * Reads messages in order, up to a number and a size: their data is read only if it fits. The size of a text is known without
 * reading it. `offset 0` makes the planner look up each event and each kept request by its key.
 */
const MESSAGES: HotStatement = {
  name: "pull_messages",
  text: `select place, id, event_id, event_name, attempt_count, data, occurred_at, traceparent, method, headers, body from (
      select m.pull_offset::float8 as place, m.id, m.event_id, m.event_name, m.attempt_count, e.data, e.occurred_at, e.traceparent,
        r.method, r.headers, r.body, row_number() over (order by m.pull_offset) as nth,
        sum(coalesce(octet_length(r.body), octet_length(e.data) + $7::int, 0)) over (order by m.pull_offset) as bytes
      from (select * from pull_message where bucket = $1 and tag = $2 and endpoint_id = $3 and pull_offset between $4 and $5
          order by pull_offset limit $6) m
        left join lateral (select v.data, v.occurred_at, v.traceparent from event v
          where v.bucket = $1 and v.tag = $2 and v.id = m.event_id offset 0) e on true
        left join lateral (select k.method, k.headers, k.body from delivery_request k
          where m.transformed and k.bucket = $1 and k.tag = $2 and k.delivery_id = m.id offset 0) r on true) s
    where bytes <= $8 or nth = 1 order by place`,
};

export interface MessageRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  /** The bytes that a body has besides its data, and the bytes of all bodies. */
  readonly overhead: number;
  readonly bytes: number;
}

export async function readMessages(
  db: Db,
  { bucket, tag, endpointId }: LogKey,
  { from, to, limit, overhead, bytes }: MessageRange,
): Promise<MessageRow[]> {
  const values = [bucket, tag, endpointId, from, to, limit, overhead, bytes];
  return await db.hot<MessageRow & Record<string, unknown>>(MESSAGES, values);
}
