import { columnOf, ofTenant } from "../platform/db/db.ts";
import type { Db, HotStatement, Query, Tx } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

export interface RateAsk {
  readonly bucket: number;
  readonly subject: string;
  readonly operation: string;
  readonly perMinute: number;
  /** Calls an hour. Without it, there is no hourly limit. */
  readonly perHour?: number;
  readonly want: number;
}

export interface RateAnswer {
  readonly granted: number;
  readonly minute_left: number;
  readonly hour_left: number;
  readonly retry_seconds: number;
}

/** The hourly limit that is passed to `rate_take` when there is none. */
const NO_HOURLY_LIMIT = 1_000_000_000;

/** Runs for every request (hot). The asks are sorted by subject, so that two nodes lock the rows in one order. */
const TAKE: HotStatement = {
  name: "rate_take",
  text: `select r.granted, r.minute_left, r.hour_left, r.retry_seconds
    from unnest($1::smallint[], $2::text[], $3::text[], $4::int[], $5::int[], $6::int[])
      with ordinality as a (bucket, subject, operation, per_minute, per_hour, want, at),
      lateral rate_take(a.bucket, a.subject, a.operation, a.per_minute, a.per_hour, a.want) r order by a.at`,
};
const USED: HotStatement = {
  name: "rate_used",
  text: "select operation, rate_used(w) as used from rate_window w where bucket = $1 and subject = $2",
};

export async function takeRates(db: Db, asks: readonly RateAsk[]): Promise<RateAnswer[]> {
  const column = <Key extends keyof RateAsk>(key: Key): RateAsk[Key][] => asks.map((ask) => ask[key]);
  return await db.soft<RateAnswer>(TAKE, [
    column("bucket"),
    column("subject"),
    column("operation"),
    column("perMinute"),
    asks.map((ask) => ask.perHour ?? NO_HOURLY_LIMIT),
    column("want"),
  ]);
}

export interface RateUse {
  /** The name of a limit per minute; `*` is the limit per hour. */
  readonly operation: string;
  readonly used: number;
}

/** Returns the calls that each of a subject's windows holds now. Takes no lock. */
export async function usedRates(db: Db, bucket: number, subject: string): Promise<RateUse[]> {
  return await db.at(bucket, async () => await db.hot<RateUse>(USED, [bucket, subject]));
}

/** Identifies a record by its environment, its lineage of keys and its idempotency key. */
export interface IdempotencyPlace {
  readonly bucket: number;
  readonly tag: Tag;
  readonly lineageId: Uuid;
  readonly key: string;
}

export interface IdempotencyRow {
  readonly request_hash: Buffer;
  /** Null while the request runs. */
  readonly status: number | null;
  readonly response_sealed: Buffer | null;
  /** The response if it was shortened; the other column is null then. */
  readonly response_short_sealed: Buffer | null;
}

/** A claim to do a write, which excludes other claims until its lease expires. */
export interface IdempotencyClaim {
  readonly requestHash: Buffer;
  readonly owner: Uuid;
  readonly leaseSeconds: number;
}

const BEGIN: HotStatement = {
  name: "idempotency_begin",
  text: `insert into idempotency (bucket, tag, lineage_id, key, request_hash, owner, leased_until)
      values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second')
    on conflict (bucket, tag, lineage_id, key) do update set owner = excluded.owner, leased_until = excluded.leased_until, created_at = now()
      where idempotency.status is null and idempotency.request_hash = excluded.request_hash and idempotency.leased_until < clock_timestamp()
    returning true as begun`,
};
const READ: HotStatement = {
  name: "idempotency_read",
  text: "select request_hash, status, response_sealed, response_short_sealed from idempotency where bucket = $1 and tag = $2 and lineage_id = $3 and key = $4",
};
const ABANDON: HotStatement = {
  name: "idempotency_abandon",
  text: `delete from idempotency where bucket = $1 and tag = $2 and lineage_id = $3 and key = $4 and owner = $5 and status is null`,
};

/** Returns true if this request may do the work: it is the first, or the lease of the previous one has expired. */
export async function beginIdempotent(db: Db, place: IdempotencyPlace, claim: IdempotencyClaim): Promise<boolean> {
  const values = [...columns(place), claim.requestHash, claim.owner, claim.leaseSeconds];
  const rows = await db.at(place.bucket, async () => await db.hot(BEGIN, values));
  return rows.length > 0;
}

export async function readIdempotent(db: Db, place: IdempotencyPlace): Promise<IdempotencyRow | undefined> {
  const [row] = await db.at(
    place.bucket,
    async () => await db.hot<IdempotencyRow & Record<string, unknown>>(READ, columns(place)),
  );
  return row;
}

/** Stores the response. Returns false if the record no longer belongs to this owner. */
export async function finishIdempotent(
  query: Query,
  place: IdempotencyPlace,
  owner: Uuid,
  answer: { readonly status: number; readonly sealed: Buffer },
): Promise<boolean> {
  const result = await query
    .updateTable("idempotency")
    .set({ status: answer.status, response_sealed: answer.sealed, owner: null, leased_until: null })
    .$call(ofTenant(place))
    .where("lineage_id", "=", place.lineageId)
    .where("key", "=", place.key)
    .where("owner", "=", owner)
    .where("status", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function abandonIdempotent(db: Db, place: IdempotencyPlace, owner: Uuid): Promise<void> {
  await db.at(place.bucket, async () => await db.hot(ABANDON, [...columns(place), owner]));
}

export interface BatchClaim {
  readonly place: IdempotencyPlace;
  readonly requestHash: Buffer;
  readonly owner: Uuid;
  /** The response; null until the work is done. */
  readonly answer: KeptAnswer | null;
}

export interface KeptAnswer {
  readonly status: number;
  readonly sealed: Buffer;
}

/**
 * Claims keys for work that is recorded in the same transaction (hot). The lease never expires, because the worker that
 * finds the record ends the claim.
 */
const CLAIM: HotStatement = {
  name: "idempotency_claim",
  text: `with asked as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::bytea[], $6::uuid[], $7::smallint[], $8::bytea[])
      with ordinality as a (bucket, tag, lineage_id, key, request_hash, owner, status, sealed, at)),
    kept as (insert into idempotency (bucket, tag, lineage_id, key, request_hash, owner, leased_until, status, response_sealed)
      select bucket, tag, lineage_id, key, request_hash, case when status is null then owner end, case when status is null then 'infinity'::timestamptz end,
        status, sealed from asked order by bucket, tag, lineage_id, key
      on conflict do nothing returning bucket, tag, lineage_id, key)
    select asked.at from asked join kept using (bucket, tag, lineage_id, key)`,
};

/** Returns the positions of the claims that are the first of their key. A key must not occur twice in `claims`. */
export async function claimIdempotents(tx: Tx, claims: readonly BatchClaim[]): Promise<ReadonlySet<number>> {
  if (claims.length === 0) return new Set();
  const rows = await tx.hot<{ at: string }>(CLAIM, [
    columnOf.smallint(claims, ({ place }) => place.bucket),
    columnOf.text(claims, ({ place }) => place.tag),
    columnOf.uuid(claims, ({ place }) => place.lineageId),
    columnOf.text(claims, ({ place }) => place.key),
    columnOf.bytea(claims, (claim) => claim.requestHash),
    columnOf.uuid(claims, (claim) => claim.owner),
    columnOf.smallint(claims, ({ answer }) => answer?.status ?? null),
    columnOf.bytea(claims, ({ answer }) => answer?.sealed ?? null),
  ]);
  return new Set(rows.map((row) => Number(row.at) - 1));
}

const READ_ALL: HotStatement = {
  name: "idempotency_read_all",
  text: `select a.at, i.request_hash, i.status, i.response_sealed, i.response_short_sealed from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[])
      with ordinality as a (bucket, tag, lineage_id, key, at)
    join idempotency i using (bucket, tag, lineage_id, key)`,
};

/** Returns the records of many requests, in their order (hot). */
export async function readIdempotents(
  db: Db,
  places: readonly IdempotencyPlace[],
): Promise<(IdempotencyRow | undefined)[]> {
  const rows = await db.hot<IdempotencyRow & { at: string }>(READ_ALL, [
    columnOf.smallint(places, (place) => place.bucket),
    columnOf.text(places, (place) => place.tag),
    columnOf.uuid(places, (place) => place.lineageId),
    columnOf.text(places, (place) => place.key),
  ]);
  const found = new Map(rows.map((row) => [Number(row.at) - 1, row]));
  return places.map((_place, at) => found.get(at));
}

export interface BatchEnd {
  readonly place: IdempotencyPlace;
  readonly owner: Uuid;
  /** The response to keep. If null, the key is released. */
  readonly answer: KeptAnswer | null;
}

const ENDED: HotStatement = {
  name: "idempotency_end",
  text: `with e as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::smallint[], $7::bytea[])
      as e (bucket, tag, lineage_id, key, owner, status, sealed)),
    gone as (delete from idempotency i using e where e.status is null and i.bucket = e.bucket and i.tag = e.tag and i.lineage_id = e.lineage_id
      and i.key = e.key and i.owner = e.owner and i.status is null)
    update idempotency i set status = e.status, response_sealed = e.sealed, owner = null, leased_until = null
      from e where e.status is not null and i.bucket = e.bucket and i.tag = e.tag and i.lineage_id = e.lineage_id
        and i.key = e.key and i.owner = e.owner and i.status is null`,
};

export async function endIdempotents(tx: Tx, ends: readonly BatchEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await tx.hot(ENDED, [
    columnOf.smallint(ends, ({ place }) => place.bucket),
    columnOf.text(ends, ({ place }) => place.tag),
    columnOf.uuid(ends, ({ place }) => place.lineageId),
    columnOf.text(ends, ({ place }) => place.key),
    columnOf.uuid(ends, (end) => end.owner),
    columnOf.smallint(ends, ({ answer }) => answer?.status ?? null),
    columnOf.bytea(ends, ({ answer }) => answer?.sealed ?? null),
  ]);
}

function columns(place: IdempotencyPlace): unknown[] {
  return [place.bucket, place.tag, place.lineageId, place.key];
}
