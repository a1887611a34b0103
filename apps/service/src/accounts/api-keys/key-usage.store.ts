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
  readonly bucket: number;
  readonly tag: Tag;
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
 * Writes the rows in one order, so that writes of two nodes cannot deadlock. Runs once per node and interval, off the
 * hot path.
 */
const SEEN: HotStatement = {
  name: "key_usage_seen",
  text: `insert into key_use (bucket, tag, key_id, used_at, used_ip)
      select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[]) as u (bucket, tag, key_id, used_at, used_ip)
      order by bucket, tag, key_id
    on conflict (bucket, tag, key_id) do update set used_at = excluded.used_at, used_ip = excluded.used_ip
      where key_use.used_at < excluded.used_at`,
};
const WRITE: HotStatement = {
  name: "key_usage_write",
  text: `insert into key_usage (bucket, tag, lineage_id, hour, operation, outcome, calls)
      select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::int[])
        as c (bucket, tag, lineage_id, hour, operation, outcome, calls)
      order by bucket, tag, lineage_id, hour, operation, outcome
    on conflict (bucket, tag, lineage_id, hour, operation, outcome) do update set calls = key_usage.calls + excluded.calls`,
};

export async function writeLastUses(db: Db, own: readonly LastUse[]): Promise<void> {
  await db.soft(SEEN, [
    own.map((use) => use.bucket),
    own.map((use) => use.tag),
    own.map((use) => use.keyId),
    own.map((use) => use.at),
    own.map((use) => use.ip),
  ]);
}

/** Adds the counts. */
export async function writeCounts(db: Db, own: readonly UsageCount[]): Promise<void> {
  await db.soft(WRITE, [
    own.map((count) => count.bucket),
    own.map((count) => count.tag),
    own.map((count) => count.lineageId),
    own.map((count) => count.hour),
    own.map((count) => count.operation),
    own.map((count) => count.outcome),
    own.map((count) => count.calls),
  ]);
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
