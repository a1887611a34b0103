import type { Uuid } from "../../lib/lib.ts";
import { columnOf } from "../db/db.ts";
import type { Db, HotStatement, Tables } from "../db/db.ts";

/** The columns that each table of tasks has. */
export interface TaskRow {
  readonly bucket: number;
  readonly tag: string;
  readonly id: Uuid;
  /** The lease that holds the row. Each try has its own, so that one whose lease has expired changes nothing. */
  readonly lease_id: Uuid | null;
  /** The number of tries that have begun. */
  readonly attempts: number;
}

/** The rows of a table that are tasks. */
export interface TaskTable {
  readonly table: keyof Tables;
  /** The SQL condition of rows that have not ended, which is that of a partial index on `(bucket, due_at)`. */
  readonly open: string;
  /** Assignments of a claim besides those of the lease: `digest = null`. */
  readonly onClaim?: string;
}

/** A bucket with work that is due, or will be. */
export interface DueBucket {
  readonly bucket: number;
  /** Milliseconds until the bucket's first row is due. Zero or negative if it is due. */
  readonly due_in_ms: number;
}

/** A process that is killed or cut off holds its tasks for so long. */
export const LEASE_SECONDS = 30;
/** The due rows of a bucket that a claim compares. */
const COMPARED = 200;

/**
 * Returns a function that reads the buckets of a table with rows that have not ended. It reads without locks, with one
 * index probe per bucket, so that the claim locks rows in one bucket at a time.
 */
export function dueBucketsOf(table: keyof Tables, open = "due_at is not null"): (db: Db) => Promise<DueBucket[]> {
  const statement: HotStatement = {
    name: `${table}_due_buckets`,
    text: `select b::smallint as bucket, (extract(epoch from d.due_at - now()) * 1000)::float8 as due_in_ms from generate_series(0, 63) b,
      lateral (select due_at from ${table} t where t.bucket = b and ${open} order by t.due_at limit 1) d`,
  };
  return async (db) =>
    await db.onEachShard(async () => await db.hot<DueBucket & Record<string, unknown>>(statement, []));
}

export interface TaskRows<Row> {
  dueBuckets(db: Db): Promise<DueBucket[]>;
  /**
   * Claims due rows of one bucket, oldest first, at most `limit`, and no more than `ofTenant` of one environment on all
   * nodes. A try counts when it begins, so that one that kills its process counts too.
   */
  claim(
    db: Db,
    bucket: number,
    lease: Uuid,
    most: { readonly limit: number; readonly ofTenant: number },
  ): Promise<Row[]>;
  /** Prolongs the leases that still hold these rows of one bucket. */
  renew(db: Db, bucket: number, rows: readonly TaskRow[]): Promise<void>;
  /** Makes a row due in some time, if its lease still holds it. `counts` says whether the try counts. */
  release(db: Db, row: TaskRow, delayMs: number, counts: boolean): Promise<void>;
}

export function taskRowsOf<Row extends TaskRow>({ table, open, onClaim }: TaskTable): TaskRows<Row> {
  const claim: HotStatement = {
    name: `${table}_claim`,
    text: `with busy as (select tag, count(*) as n from ${table} where bucket = $1 and lease_id is not null and due_at > now() group by tag),
      due as (select t.tag, t.id, t.due_at, row_number() over (partition by t.tag order by t.due_at) as place
        from (select tag, id, due_at from ${table} t where bucket = $1 and ${open} and due_at <= now()
          and tag <> all(array(select tag from busy where n >= $4)) order by due_at limit ${COMPARED}) t)
      update ${table} u set lease_id = $2, attempts = u.attempts + 1, due_at = now() + interval '${LEASE_SECONDS} seconds'
        ${onClaim === undefined ? "" : `, ${onClaim}`}
      from (select tag, id from ${table} t where bucket = $1 and ${open} and due_at <= now() and (tag, id) in (
          select d.tag, d.id from due d left join busy b on b.tag = d.tag where d.place + coalesce(b.n, 0) <= $4 order by d.due_at limit $3)
        for update skip locked) c
      where u.bucket = $1 and u.tag = c.tag and u.id = c.id returning u.*`,
  };
  const renew: HotStatement = {
    name: `${table}_renew`,
    text: `update ${table} t set due_at = now() + interval '${LEASE_SECONDS} seconds'
      from unnest($2::text[], $3::uuid[], $4::uuid[]) as h (tag, id, lease_id)
      where t.bucket = $1 and t.tag = h.tag and t.id = h.id and t.lease_id = h.lease_id and t.due_at is not null`,
  };
  const release: HotStatement = {
    name: `${table}_release`,
    text: `update ${table} t set lease_id = null, attempts = attempts - $6::int, due_at = now() + $5 * interval '1 millisecond'
      where bucket = $1 and tag = $2 and id = $3 and lease_id = $4`,
  };
  return {
    dueBuckets: dueBucketsOf(table, open),
    claim: async (db, bucket, lease, { limit, ofTenant }) =>
      await db.hot<Row & Record<string, unknown>>(claim, [bucket, lease, limit, ofTenant]),
    async renew(db, bucket, rows) {
      await db.hot(renew, [
        bucket,
        columnOf.text(rows, (row) => row.tag),
        columnOf.uuid(rows, (row) => row.id),
        columnOf.uuid(rows, (row) => row.lease_id),
      ]);
    },
    async release(db, { bucket, tag, id, lease_id: lease }, delayMs, counts) {
      await db.hot(release, [bucket, tag, id, lease, delayMs, counts ? 0 : 1]);
    },
  };
}
