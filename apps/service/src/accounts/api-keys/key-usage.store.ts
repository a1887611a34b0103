import { ofTenant } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";

export type RequestOutcome = "succeeded" | "refused" | "rate_limited" | "failed";

/** The number of calls of one lineage of keys in one hour, by operation and outcome. */
export interface UsageCount {
  readonly bucket: number;
  readonly tag: Tag;
  readonly lineageId: Uuid;
  readonly hour: Date;
  readonly operation: string;
  readonly outcome: RequestOutcome;
  readonly calls: number;
}

export interface LastUse {
  readonly keyId: Uuid;
  readonly at: Date;
  readonly ip: string;
}

export interface UsageRow {
  readonly hour: Date;
  readonly operation: string;
  readonly outcome: RequestOutcome;
  readonly calls: number;
}

/**
 * Locks the rows in one order, so that writes of two nodes cannot deadlock. Runs once per node and interval, off the
 * hot path.
 */
const SEEN: HotStatement = {
  name: "key_usage_seen",
  text: `with used as (select * from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as u (id, at, ip)),
    locked as (select id from api_key where id = any($1::uuid[]) order by id for no key update)
    update api_key k set last_used_at = u.at, last_used_ip = u.ip from used u join locked using (id)
      where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
};
const WRITE: HotStatement = {
  name: "key_usage_write",
  text: `insert into key_usage (bucket, tag, lineage_id, hour, operation, outcome, calls)
      select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::int[])
        as c (bucket, tag, lineage_id, hour, operation, outcome, calls)
      order by bucket, tag, lineage_id, hour, operation, outcome
    on conflict (bucket, tag, lineage_id, hour, operation, outcome) do update set calls = key_usage.calls + excluded.calls`,
};

export async function writeLastUses(db: Db, uses: readonly LastUse[]): Promise<void> {
  await db.soft(SEEN, [uses.map((use) => use.keyId), uses.map((use) => use.at), uses.map((use) => use.ip)]);
}

/** Adds the counts, and calls `failed` with those of a shard that cannot be written now. */
export async function writeCounts(
  db: Db,
  counts: readonly UsageCount[],
  failed: (own: readonly UsageCount[], error: unknown) => void,
): Promise<void> {
  await db.byShard(
    counts,
    ({ bucket }) => bucket,
    async (own) => {
      try {
        await db.soft(WRITE, [
          own.map((count) => count.bucket),
          own.map((count) => count.tag),
          own.map((count) => count.lineageId),
          own.map((count) => count.hour),
          own.map((count) => count.operation),
          own.map((count) => count.outcome),
          own.map((count) => count.calls),
        ]);
      } catch (error) {
        failed(own, error);
      }
    },
  );
}

export async function readUsage(
  query: Query,
  key: { readonly bucket: number; readonly tag: Tag; readonly lineageId: Uuid },
  since: Date,
): Promise<UsageRow[]> {
  return await query
    .selectFrom("key_usage")
    .select(["hour", "operation", "calls"])
    .select((from) => from.ref("outcome").$castTo<RequestOutcome>().as("outcome"))
    .$call(ofTenant(key))
    .where("lineage_id", "=", key.lineageId)
    .where("hour", ">=", since)
    .execute();
}
