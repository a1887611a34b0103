import { sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, HotWriter, Query } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { DeliveryRow } from "../deliveries/deliveries.store.ts";
import type { ClaimedRow } from "../deliveries/queue.store.ts";
import type { OrderedKey } from "../endpoints/ordered-endpoints.store.ts";

/** The last row has no id. */
type Advanced = ClaimedRow & {
  readonly max_in_flight: number;
  /** The number of heads that any node can claim. */
  readonly due: number;
  readonly more: boolean;
};

export interface AdvanceResult {
  /** The heads that are leased to the caller. */
  readonly leased: readonly (ClaimedRow & { readonly max_in_flight: number })[];
  readonly due: number;
  readonly more: boolean;
}

export interface Advancing {
  /** The lanes whose head may have ended; null: those that are blocked. */
  readonly keys: readonly string[] | null;
  readonly lease: { readonly id: Uuid; readonly seconds: number };
  /** The number of heads that the caller has room for. */
  readonly room: number;
  /** The number of deliveries of the endpoint that it holds. */
  readonly held: number;
  readonly largeBytes: number;
}

/** The number of deliveries and lanes that one statement changes. */
export const MOST_LANES = 2000;

const ADVANCE: HotStatement = {
  name: "lanes_advance",
  text: `select $1::smallint as bucket, $2::text as tag, $3::uuid as endpoint_id, a.*
    from advance_lanes($1, $2, $3, $4::text[], ${MOST_LANES}, $5, $6, $7, $8, $9) a`,
};

/** Gives deliveries of an endpoint their places, and sends the next ones of its lanes: see the function. */
export async function advanceLanes(
  db: HotWriter,
  { bucket, tag, endpointId }: OrderedKey,
  { keys, lease, room, held, largeBytes }: Advancing,
): Promise<AdvanceResult> {
  const rows = await db.hot<Advanced & Record<string, unknown>>(ADVANCE, [
    bucket,
    tag,
    endpointId,
    keys,
    lease.id,
    lease.seconds,
    room,
    held,
    largeBytes,
  ]);
  const last = rows.pop();
  return { leased: rows, due: last?.due ?? 0, more: last?.more ?? false };
}

/** Finds endpoints with deliveries that have waited for their place longer than a node needs. */
const UNPLACED: HotStatement = {
  name: "lanes_unplaced",
  text: `select distinct bucket, tag, endpoint_id from pending_delivery
    where lane_xact is not null and lane_since < now() - interval '2 seconds'`,
};

/** Finds lanes whose head has ended, but that were not advanced: a node was killed in between, or is of the version before. */
const LOST: HotStatement = {
  name: "lanes_lost",
  text: `select l.bucket, l.tag, l.endpoint_id, array_agg(l.key) as keys from lane l
    where l.head_id is not null and l.blocked_at is null and l.used_at < now() - interval '2 seconds'
      and not exists (select from pending_delivery p where p.bucket = l.bucket and p.tag = l.tag and p.id = l.head_id)
    group by l.bucket, l.tag, l.endpoint_id`,
};

/** Finds endpoints with blocked lanes that nothing blocks now: `on_failed` has changed, or the head has left the log. */
const UNBLOCKED: HotStatement = {
  name: "lanes_unblocked",
  text: `select distinct l.bucket, l.tag, l.endpoint_id from lane l
      left join endpoint e on e.bucket = l.bucket and e.tag = l.tag and e.id = l.endpoint_id and e.deleted_at is null
    where l.head_id is not null and l.blocked_at is not null
      and not exists (select from pending_delivery p where p.bucket = l.bucket and p.tag = l.tag and p.id = l.head_id)
      and (e.on_failed is distinct from 'block'
        or not exists (select from delivery d where d.bucket = l.bucket and d.tag = l.tag and d.id = l.head_id and d.state = 'failed'))`,
};

export interface Stale {
  readonly bucket: number;
  readonly tag: Tag;
  readonly endpoint_id: Uuid;
  /** The lanes; undefined for those that were placed or blocked. */
  readonly keys?: readonly string[];
}

type StaleRow = Stale & Record<string, unknown>;

export async function unplacedEndpoints(db: Db): Promise<Stale[]> {
  return await db.onEachShard(async () => await db.hot<StaleRow>(UNPLACED, []));
}

export async function lostLanes(db: Db): Promise<Stale[]> {
  return await db.onEachShard(async () => await db.hot<StaleRow>(LOST, []));
}

export async function unblockedEndpoints(db: Db): Promise<Stale[]> {
  return await db.onEachShard(async () => await db.hot<StaleRow>(UNBLOCKED, []));
}

/** Finds endpoints with lanes that have been blocked for an hour, of which no one was informed. */
const UNNOTICED: HotStatement = {
  name: "lanes_unnoticed",
  text: `with over as (update ordered_endpoint o set noticed_at = null where noticed_at is not null and not exists (${blockedForLong("o")}))
    select o.bucket, o.tag, o.endpoint_id, e.workspace_id from ordered_endpoint o
      join endpoint e on e.bucket = o.bucket and e.tag = o.tag and e.id = o.endpoint_id and e.deleted_at is null
    where o.noticed_at is null and exists (${blockedForLong("o")})`,
};

function blockedForLong(endpoint: string): string {
  return `select from lane l where l.endpoint_id = ${endpoint}.endpoint_id and l.bucket = ${endpoint}.bucket and l.tag = ${endpoint}.tag
    and l.head_id is not null and l.blocked_at < now() - interval '1 hour'`;
}

export type Unnoticed = Stale & { readonly workspace_id: Uuid };

export async function unnoticedEndpoints(db: Db): Promise<Unnoticed[]> {
  return await db.onEachShard(async () => await db.hot<Unnoticed & Record<string, unknown>>(UNNOTICED, []));
}

/** Returns the number of lanes that a failed delivery blocks. */
export async function countBlocked(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await blockedLanes(db.query));
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Returns for how many seconds the longest blocked lane has been blocked; 0 if none is. */
export async function oldestBlockedAge(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await blockedLanes(db.query));
  return Math.max(0, ...rows.map(({ age }) => age ?? 0));
}

async function blockedLanes(query: Query): Promise<{ readonly count: number; readonly age: number | null }[]> {
  const { rows } = await sql<{ count: number; age: number | null }>`select count(*)::int as count,
    extract(epoch from now() - min(blocked_at))::float8 as age from lane where blocked_at is not null`.execute(query);
  return rows;
}

export interface LaneRow {
  readonly key: string;
  readonly head_id: Uuid;
  readonly head_state: DeliveryRow["state"];
  readonly attempt_count: number;
  readonly last_status_code: number | null;
  readonly last_error_class: string | null;
  readonly next_attempt_at: Date | null;
  readonly blocked_at: Date | null;
  readonly waiting: number;
  readonly oldest_id: Uuid | null;
}

export interface LaneRange {
  readonly after: string | undefined;
  /** True for the lanes that a failed delivery blocks; false for the others. */
  readonly blocked: boolean | undefined;
}

/** Lists the lanes that hold something, by their keys. */
export async function listLanes(
  query: Query,
  { bucket, tag, endpointId }: OrderedKey,
  { after, blocked }: LaneRange,
  limit: number,
): Promise<LaneRow[]> {
  const from = after === undefined ? sql`` : sql`and key > ${after}`;
  const isBlocked = sql`exists (select from delivery d
    where d.bucket = ${bucket} and d.tag = ${tag} and d.id = lane.head_id and d.state = 'failed')`;
  const only = blocked === undefined ? sql`` : sql`and ${isBlocked} = ${blocked}::boolean`;
  const { rows } =
    await sql<LaneRow>`select l.key, l.head_id, case when h.state = 'pending' then null else l.blocked_at end as blocked_at, coalesce(h.state, 'pending') as head_state,
      coalesce(h.attempt_count, 0)::int as attempt_count, h.last_status_code, h.last_error_class, h.next_attempt_at, w.waiting, w.oldest_id
    from (select key, head_id, blocked_at from lane where endpoint_id = ${endpointId} and bucket = ${bucket} and tag = ${tag}
        and head_id is not null ${only} ${from} order by key limit ${limit}) l
      left join lateral (select 'pending' as state, p.attempt_count, p.last_status_code, p.last_error_class, p.next_attempt_at from pending_delivery p
          where p.bucket = ${bucket} and p.tag = ${tag} and p.id = l.head_id
        union all select d.state, d.attempt_count, d.last_status_code, d.last_error_class, null::timestamptz from delivery d
          where d.bucket = ${bucket} and d.tag = ${tag} and d.id = l.head_id) h on true
      cross join lateral (select count(*)::int as waiting, min(p.id::text)::uuid as oldest_id from pending_delivery p
        where p.endpoint_id = ${endpointId} and p.lane = l.key and p.lane_place is not null and p.bucket = ${bucket} and p.tag = ${tag}
          and p.lane_head is not true) w
    order by l.key`.execute(query);
  return rows;
}
