import { columnOf, sql } from "../db/db.ts";
import type { Db, HotStatement, Query } from "../db/db.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Position } from "./position.ts";

export interface Place {
  readonly bucket: number;
  readonly tag: Tag;
}

/**
 * A CTE that tells of the rows of `source`, which has `bucket`, `tag` and `id`, to whoever has an interest in the news of their
 * workspace's environment. Where nobody has, it reads an empty table. For statements that are many; of others, triggers tell.
 */
export function newsOf(kind: "delivery" | "receipt", source: string): string {
  return `news_of_${source} as (insert into news (bucket, tag, kind, id) select n.bucket, n.tag, '${kind}', n.id from ${source} n
    where exists (select from news_interest i where i.bucket = n.bucket and i.tag = n.tag and i.expires_at > now()))`;
}

/** The same for one thing, in a transaction of its change. */
export async function tellOf(
  query: Query,
  kind: "receipt",
  { bucket, tag, id }: Place & { readonly id: Uuid },
): Promise<void> {
  await sql`insert into news (bucket, tag, kind, id) select ${bucket}::smallint, ${tag}, ${kind}, ${id}::uuid
    where exists (select from news_interest i where i.bucket = ${bucket} and i.tag = ${tag} and i.expires_at > now())`.execute(
    query,
  );
}

/** All news of transactions before this one are there, or never will be. */
const XMIN = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
/** Of an interest that is not complete yet. */
const NOT_YET = "9223372036854775807";

export interface Standing {
  /** All news from here on are there; null: not yet. */
  readonly since: bigint | null;
  readonly xmin: bigint;
  /** The transaction that begins next. */
  readonly next: bigint;
  /** Of the workspace, at other nodes, in both environments. */
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
  text: `select min(since_xid) filter (where tag = $2 and since_xid < ${NOT_YET} and expires_at > now()) as since, ${XMIN} as xmin,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
      coalesce(sum(listeners) filter (where node <> $4 and expires_at > now()), 0)::int as elsewhere
    from news_interest where bucket = $1 and tag = any($3::text[])`,
};
const COMPLETE: HotStatement = {
  name: "news_complete",
  text: `update news_interest set since_xid = ${XMIN} where bucket = $1 and tag = $2 and node = $3 and since_xid = ${NOT_YET}`,
};

/** From its commit on, what is told of this workspace's environment is kept. */
export async function joinInterest(db: Db, place: Place, node: Uuid, seconds: number): Promise<void> {
  await db.hot(JOIN, [place.bucket, place.tag, node, seconds]);
}

/** Once nothing runs any more that began before the interest was there. */
export async function completeInterest(db: Db, place: Place, node: Uuid): Promise<void> {
  await db.hot(COMPLETE, [place.bucket, place.tag, node]);
}

export async function standing(
  db: Db,
  { bucket, tag, tags, node }: Place & { readonly tags: readonly Tag[]; readonly node: Uuid },
): Promise<Standing> {
  const [row] = await db.hot<{ since: string | null; xmin: string; next: string; elsewhere: number }>(STANDING, [
    bucket,
    tag,
    tags,
    node,
  ]);
  if (row === undefined) throw new Error("an aggregate answered no row");
  const since = row.since === null ? null : BigInt(row.since);
  return { since, xmin: BigInt(row.xmin), next: BigInt(row.next), elsewhere: row.elsewhere };
}

const KEEP: HotStatement = {
  name: "news_keep",
  text: `update news_interest i set listeners = k.listeners,
      expires_at = case when k.listeners > 0 then now() + $5 * interval '1 second' else i.expires_at end
    from unnest($1::smallint[], $2::text[], $3::int[]) as k (bucket, tag, listeners)
    where i.bucket = k.bucket and i.tag = k.tag and i.node = $4 and i.expires_at > now()`,
};
/** Of each of these, by the first of its nodes: what is older than the window, and what is beyond so many. */
const PRUNE: HotStatement = {
  name: "news_prune",
  text: `with mine as (select k.bucket, k.tag from unnest($1::smallint[], $2::text[]) as k (bucket, tag)
      where not exists (select from news_interest o where o.bucket = k.bucket and o.tag = k.tag and o.node < $3 and o.expires_at > now())),
    bound as (select m.bucket, m.tag, greatest(
        (select max(n.xid) from news n where n.bucket = m.bucket and n.tag = m.tag and n.at < now() - $4 * interval '1 second'),
        (select n.xid from news n where n.bucket = m.bucket and n.tag = m.tag order by n.xid desc, n.seq desc offset $5 limit 1)) as xid
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

export interface Kept extends Place {
  readonly listeners: number;
}

/** Says that this node still listens, for so many seconds; what nobody listens to at this node any more runs out. */
export async function keepInterest(db: Db, node: Uuid, kept: readonly Kept[], seconds: number): Promise<void> {
  await db.hot(KEEP, [...columns(kept), columnOf.int(kept, (one) => one.listeners), node, seconds]);
}

export async function pruneNews(
  db: Db,
  node: Uuid,
  places: readonly Place[],
  keep: { readonly seconds: number; readonly rows: number },
): Promise<void> {
  await db.hot(PRUNE, [...columns(places), node, keep.seconds, keep.rows]);
}

export async function leaveInterest(db: Db, node: Uuid, places: readonly Place[]): Promise<void> {
  await db.hot(LEAVE, [...columns(places), node]);
}

const ELSEWHERE: HotStatement = {
  name: "news_elsewhere",
  text: "select distinct tag from news_interest where node <> $1 and listeners > 0 and expires_at > now()",
};

/** In whose news other nodes have an interest. */
export async function interestElsewhere(db: Db, node: Uuid): Promise<Set<Tag>> {
  const rows = await db.hot<{ tag: Tag }>(ELSEWHERE, [node]);
  return new Set(rows.map((row) => row.tag));
}

export interface NewsRow {
  readonly tag: Tag;
  readonly position: Position;
  readonly kind: string;
  readonly id: Uuid;
}

export interface Tail {
  readonly xmin: bigint;
  readonly rows: readonly NewsRow[];
  /** Whose interest is gone: the database has crashed, or another node took this one for dead. */
  readonly lost: ReadonlySet<Tag>;
}

/** One statement for all that is listened to: one index probe each. */
const TAIL: HotStatement = {
  name: "news_tail",
  text: `with s as materialized (select ${XMIN} as xmin)
    select w.tag, s.xmin, n.xid, n.seq, n.kind, n.id,
      exists (select from news_interest i where i.bucket = w.bucket and i.tag = w.tag and i.node = $5 and i.expires_at > now()) as kept
    from s, unnest($1::smallint[], $2::text[], $3::bigint[], $4::bigint[]) as w (bucket, tag, xid, seq)
    left join lateral (select * from news n where n.bucket = w.bucket and n.tag = w.tag and (n.xid, n.seq) > (w.xid, w.seq)
      and n.xid < (select xmin from s) order by n.xid, n.seq limit $6) n on true`,
};

export async function tailNews(
  db: Db,
  node: Uuid,
  from: readonly (Place & { readonly position: Position })[],
  limit: number,
): Promise<Tail> {
  const rows = await db.hot<{
    tag: Tag;
    xmin: string;
    xid: string | null;
    seq: string;
    kind: string;
    id: Uuid;
    kept: boolean;
  }>(TAIL, [
    ...columns(from),
    from.map(({ position }) => String(position.xid)),
    from.map(({ position }) => String(position.seq)),
    node,
    limit,
  ]);
  return {
    xmin: BigInt(rows[0]?.xmin ?? 0),
    lost: new Set(rows.flatMap((row) => (row.kept ? [] : [row.tag]))),
    rows: rows.flatMap(({ tag, xid, seq, kind, id }) =>
      xid === null ? [] : [{ tag, kind, id, position: { xid: BigInt(xid), seq: BigInt(seq) } }],
    ),
  };
}

function columns(places: readonly Place[]): [Buffer, Buffer] {
  return [columnOf.smallint(places, (one) => one.bucket), columnOf.text(places, (one) => one.tag)];
}
