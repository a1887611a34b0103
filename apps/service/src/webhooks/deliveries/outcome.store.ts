import type { Db, HotStatement, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

/** The end of a delivery that another module waits for. */
export interface DeliveryOutcome {
  readonly tag: Tag;
  readonly delivery_id: Uuid;
  readonly state: "delivered" | "failed" | "cancelled";
  readonly status_code: number | null;
}

const TAKE: HotStatement = {
  name: "outcome_take",
  text: `with taken as (select tag, delivery_id from delivery_outcome where bucket = $1 limit 200 for update skip locked)
    delete from delivery_outcome o using taken where o.bucket = $1 and o.tag = taken.tag and o.delivery_id = taken.delivery_id
    returning o.tag, o.delivery_id, o.state, o.status_code`,
};

const BUCKETS: HotStatement = {
  name: "outcome_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists (select from delivery_outcome o where o.bucket = b)`,
};

export async function outcomeBuckets(db: Db): Promise<number[]> {
  return (await db.onEachShard(async () => await db.hot<{ bucket: number }>(BUCKETS, []))).map((row) => row.bucket);
}

export async function takeOutcomes(tx: Tx, bucket: number): Promise<DeliveryOutcome[]> {
  return await tx.hot<DeliveryOutcome & Record<string, unknown>>(TAKE, [bucket]);
}
