import type { HotStatement } from "./prepared.ts";
import type { Db } from "./types.ts";

/** A bucket with work that is due, or will be. */
export interface DueBucket {
  readonly bucket: number;
  /** Milliseconds until the bucket's first row is due. Zero or negative if it is due. */
  readonly due_in_ms: number;
}

/**
 * Returns a function that reads the buckets of a table with rows whose `due_at` is set. It reads without locks, with one
 * index probe per bucket, so that the claim locks rows in one bucket at a time.
 */
export function dueBucketsOf(table: string): (db: Db) => Promise<DueBucket[]> {
  const statement: HotStatement = {
    name: `${table}_due_buckets`,
    text: `select b::smallint as bucket, (extract(epoch from d.due_at - now()) * 1000)::float8 as due_in_ms from generate_series(0, 63) b,
      lateral (select due_at from ${table} t where t.bucket = b and t.due_at is not null order by t.due_at limit 1) d`,
  };
  return async (db) =>
    await db.onEachShard(async () => await db.hot<DueBucket & Record<string, unknown>>(statement, []));
}
