import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import { columnOf, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query } from "../../platform/db/db.ts";

/**
 * Returns a CTE that records changes of the rows of `source`, which has `bucket`, `tag` and `id`, for tenants with an interest.
 * Without an interest, it only reads an empty table. It serves frequent statements; triggers record the changes of others.
 */
export function newsOf(kind: "delivery" | "receipt", source: string): string {
  return `news_of_${source} as (insert into news (bucket, tag, kind, id) select n.bucket, n.tag, '${kind}', n.id from ${source} n
    where exists (select from news_interest i where i.bucket = n.bucket and i.tag = n.tag and i.expires_at > now())
    on conflict do nothing)`;
}

/** Records the change of one object, in the transaction of the change. */
export async function tellOf(
  query: Query,
  kind: "receipt",
  { bucket, tag, id }: TenantKey & { readonly id: Uuid },
): Promise<void> {
  await sql`insert into news (bucket, tag, kind, id) select ${bucket}::smallint, ${tag}, ${kind}, ${id}::uuid
    where exists (select from news_interest i where i.bucket = ${bucket} and i.tag = ${tag} and i.expires_at > now())
    on conflict do nothing`.execute(query);
}

/** The first transaction that is still running, and the next one that will begin. */
const XMIN = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
const XMAX = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
/** The value for an interest that is not complete yet. */
const NOT_YET = "9223372036854775807";

export interface SubscriberRights {
  /** Every change that a snapshot with this xmax or a later one does not see is recorded. Null if the interest is not complete yet. */
  readonly since: bigint | null;
  /** The current snapshot of the database. */
  readonly snapshot: string;
  readonly xmin: bigint;
  readonly xmax: bigint;
  /** The number of the workspace's streams on other nodes, in both environments. */
  readonly elsewhere: number;
}

interface StandingRow {
  readonly since: string | null;
  readonly snapshot: string;
  readonly xmin: string;
  readonly xmax: string;
  readonly elsewhere: number;
}

const JOIN: HotStatement = {
  name: "news_join",
  text: `insert into news_interest (bucket, tag, node, listeners, since_xid, expires_at)
      values ($1, $2, $3, 1, ${NOT_YET}, now() + $4 * interval '1 second')
    on conflict (bucket, tag, node) do update set listeners = news_interest.listeners + 1, expires_at = excluded.expires_at,
      since_xid = case when news_interest.expires_at > now() then news_interest.since_xid else excluded.since_xid end`,
};
const STANDING: HotStatement = {
  name: "news_standing",
  text: `select min(since_xid) filter (where tag = $2 and since_xid < ${NOT_YET} and expires_at > now()) as since,
      pg_current_snapshot()::text as snapshot, ${XMIN} as xmin, ${XMAX} as xmax,
      coalesce(sum(listeners) filter (where node <> $4 and expires_at > now()), 0)::int as elsewhere
    from news_interest where bucket = $1 and tag = any($3::text[])`,
};
const COMPLETE: HotStatement = {
  name: "news_complete",
  text: `update news_interest set since_xid = ${XMAX} where bucket = $1 and tag = $2 and node = $3 and since_xid = ${NOT_YET}`,
};

/** Adds an interest. Changes of this tenant are recorded from its commit on. */
export async function joinInterest(db: Db, place: TenantKey, node: Uuid, seconds: number): Promise<void> {
  await db.at(place.bucket, async () => await db.hot(JOIN, [place.bucket, place.tag, node, seconds]));
}

/** Completes an interest after all transactions that began before it have ended. */
export async function completeInterest(db: Db, place: TenantKey, node: Uuid): Promise<void> {
  await db.at(place.bucket, async () => await db.hot(COMPLETE, [place.bucket, place.tag, node]));
}

export async function standing(
  db: Db,
  { bucket, tag, tags, node }: TenantKey & { readonly tags: readonly Tag[]; readonly node: Uuid },
): Promise<SubscriberRights> {
  const values = [bucket, tag, tags, node];
  const [row] = await db.at(bucket, async () => await db.hot<StandingRow & Record<string, unknown>>(STANDING, values));
  if (row === undefined) throw new Error("an aggregate answered no row");
  const { snapshot, elsewhere } = row;
  const since = row.since === null ? null : BigInt(row.since);
  return { since, snapshot, xmin: BigInt(row.xmin), xmax: BigInt(row.xmax), elsewhere };
}

const KEEP: HotStatement = {
  name: "news_keep",
  text: `update news_interest i set listeners = k.listeners,
      expires_at = case when k.listeners > 0 then now() + $5 * interval '1 second' else i.expires_at end
    from unnest($1::smallint[], $2::text[], $3::int[]) as k (bucket, tag, listeners)
    where i.bucket = k.bucket and i.tag = k.tag and i.node = $4 and i.expires_at > now()`,
};
/** Deletes changes that are older than the window or beyond the maximum number. Only one node does this for a tenant: the one with the first id. */
const PRUNE: HotStatement = {
  name: "news_prune",
  text: `with mine as (select k.bucket, k.tag from unnest($1::smallint[], $2::text[]) as k (bucket, tag)
      where not exists (select from news_interest o where o.bucket = k.bucket and o.tag = k.tag and o.node < $3 and o.expires_at > now())),
    bound as (select m.bucket, m.tag, greatest(
        (select max(n.xid) from news n where n.bucket = m.bucket and n.tag = m.tag and n.at < now() - $4 * interval '1 second'),
        (select n.xid from news n where n.bucket = m.bucket and n.tag = m.tag order by n.xid desc offset $5 limit 1)) as xid
      from mine m),
    gone as (delete from news n using bound b where n.bucket = b.bucket and n.tag = b.tag and n.xid <= b.xid)
    update news_interest i set since_xid = b.xid + 1 from bound b
      where i.bucket = b.bucket and i.tag = b.tag and i.since_xid <= b.xid`,
};
const LEAVE: HotStatement = {
  name: "news_leave",
  text: `delete from news_interest i using unnest($1::smallint[], $2::text[]) as k (bucket, tag)
    where i.bucket = k.bucket and i.tag = k.tag and i.node = $3`,
};

export interface Interest extends TenantKey {
  readonly listeners: number;
}

/** Renews this node's interest for these seconds where it has streams. Other interests of this node expire. */
export async function keepInterest(db: Db, node: Uuid, kept: readonly Interest[], seconds: number): Promise<void> {
  await db.byShard(kept, bucketOf, async (own) => {
    await db.hot(KEEP, [...columns(own), columnOf.int(own, (one) => one.listeners), node, seconds]);
  });
}

export async function pruneNews(
  db: Db,
  node: Uuid,
  places: readonly TenantKey[],
  keep: { readonly seconds: number; readonly rows: number },
): Promise<void> {
  await db.byShard(places, bucketOf, async (own) => {
    await db.hot(PRUNE, [...columns(own), node, keep.seconds, keep.rows]);
  });
}

export async function leaveInterest(db: Db, node: Uuid, places: readonly TenantKey[]): Promise<void> {
  await db.byShard(places, bucketOf, async (own) => {
    await db.hot(LEAVE, [...columns(own), node]);
  });
}

const ELSEWHERE: HotStatement = {
  name: "news_elsewhere",
  text: "select distinct tag from news_interest where node <> $1 and listeners > 0 and expires_at > now()",
};

/** Returns the tenants in which other nodes have an interest. */
export async function interestElsewhere(db: Db, node: Uuid): Promise<Set<Tag>> {
  const rows = await db.onEachShard(async () => await db.hot<{ tag: Tag }>(ELSEWHERE, [node]));
  return new Set(rows.map((row) => row.tag));
}

export interface LiveRead extends TenantKey {
  /** The snapshot after which to read: changes that it does not see are returned. */
  readonly after: string;
}

export interface LiveNotice {
  readonly kind: string;
  readonly id: Uuid;
}

export interface Tail {
  /** The changed objects, each once, in the order of their last change. */
  readonly told: readonly LiveNotice[];
  /** The number of changed objects of each kind beyond those in `told`. */
  readonly more: ReadonlyMap<string, number>;
  /** True if this node's interest still exists. */
  readonly kept: boolean;
}

export interface Tails {
  /** The snapshot of the whole read. */
  readonly snapshot: string;
  /** One tail for each read. */
  readonly tails: readonly Tail[];
}

/** Reads the changes for all open streams in one statement, with the newest of each kind up to the maximum. */
const TAIL: HotStatement = {
  name: "news_tail",
  text: `select w.at::int as at, pg_current_snapshot()::text as snapshot, t.kind, t.id, t.more,
      exists (select from news_interest i where i.bucket = w.bucket and i.tag = w.tag and i.node = $4 and i.expires_at > now()) as kept
    from unnest($1::smallint[], $2::text[], $3::text[]) with ordinality as w (bucket, tag, after, at)
    left join lateral (select r.kind, r.id, greatest(0, r.n - $5)::int as more, r.last from (
        select f.kind, f.id, f.last, count(*) over (partition by f.kind) as n, row_number() over (partition by f.kind order by f.last desc, f.id desc) as newest
        from (select n.kind, n.id, max(n.at) as last from news n where n.bucket = w.bucket and n.tag = w.tag
            and n.xid >= pg_snapshot_xmin(w.after::pg_snapshot)::text::bigint
            and not pg_visible_in_snapshot(n.xid::text::xid8, w.after::pg_snapshot) group by n.kind, n.id) f) r
      where r.newest <= $5) t on true
    order by w.at, t.last, t.id`,
};

export async function tailNews(db: Db, node: Uuid, reads: readonly LiveRead[], most: number): Promise<Tails> {
  const rows = await db.hot<{
    at: number;
    snapshot: string;
    kind: string | null;
    id: Uuid;
    more: number;
    kept: boolean;
  }>(TAIL, [...columns(reads), columnOf.text(reads, (read) => read.after), node, most]);
  const byRead = Map.groupBy(rows, (row) => row.at);
  const tails = reads.map((_read, at): Tail => {
    const own = byRead.get(at + 1) ?? [];
    const told = own.flatMap(({ kind, id, more }) => (kind === null ? [] : [{ kind, id, more }]));
    return {
      told,
      more: new Map(told.flatMap(({ kind, more }) => (more > 0 ? [[kind, more] as const] : []))),
      kept: own.every((row) => row.kept),
    };
  });
  return { snapshot: rows[0]?.snapshot ?? "", tails };
}

const bucketOf = ({ bucket }: TenantKey): number => bucket;

function columns(places: readonly TenantKey[]): [Buffer, Buffer] {
  return [columnOf.smallint(places, (one) => one.bucket), columnOf.text(places, (one) => one.tag)];
}
