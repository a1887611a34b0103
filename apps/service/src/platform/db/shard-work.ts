import { createBatcher, ownContext } from "../../lib/lib.ts";
import type { Batcher, BatchOptions } from "../../lib/lib.ts";
import type { Sites } from "./sites.ts";
import type { Tenants } from "./tenant.ts";
import type { HotStatement } from "./prepared.ts";
import type { Db } from "./types.ts";

interface Places {
  readonly sites: Sites;
  readonly tenants: Pick<Tenants, "at">;
}

interface ByShard<Row, Out> {
  readonly rows: readonly Row[];
  bucketOf(row: Row): number;
  run(rows: readonly Row[]): Promise<readonly Out[] | void>;
}

/** See `Db.byShard`. */
export async function byShard<Row, Out>(
  { sites, tenants }: Places,
  { rows, bucketOf, run }: ByShard<Row, Out>,
): Promise<Out[]> {
  if ((await sites.ofEach()) === undefined) return [...((await run(rows)) ?? [])];
  const places = await Promise.all(
    rows.map(async (row, at) => ({ row, at, bucket: bucketOf(row), shard: await sites.shardOf(bucketOf(row)) })),
  );
  const results: Out[] = [];
  // Waits for all, so that no work goes on behind a caller that got a failure.
  const settled = await Promise.allSettled(
    [...Map.groupBy(places, ({ shard }) => shard).values()].map(async (group) => {
      const bucket = group[0]?.bucket ?? 0;
      const made = await tenants.at(bucket, async () => await run(group.map(({ row }) => row)));
      made?.forEach((out, at) => {
        results[group[at]?.at ?? 0] = out;
      });
    }),
  );
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return results;
}

/** See `Db.onEachShard`. */
export async function onEachShard<Out>(
  { sites, tenants, log }: Places & { readonly log: { warn(fields: object, message: string): void } },
  run: () => Promise<readonly Out[]>,
): Promise<Out[]> {
  const buckets = await sites.ofEach();
  if (buckets === undefined) return [...(await run())];
  const settled = await Promise.allSettled(buckets.map(async (bucket) => await tenants.at(bucket, run)));
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failures.length === settled.length) throw failures[0];
  if (failures.length > 0)
    log.warn({ err: failures[0], shards: failures.length }, "some shards of the database cannot be reached");
  return settled.flatMap((one) => (one.status === "fulfilled" ? [...one.value] : []));
}

/** Returns the sum of `n` over all shards. The statement returns one row. */
export async function countOnShards(
  db: Pick<Db, "onEachShard" | "hot">,
  statement: HotStatement,
  values: Parameters<Db["hot"]>[1] = [],
): Promise<number> {
  const rows = await db.onEachShard(async () => await db.hot<{ n: number }>(statement, values));
  return rows.reduce((sum, { n }) => sum + n, 0);
}

/**
 * Returns a batcher whose batches are of one shard each and run on it, so that a shard that cannot be reached fails only
 * its own items. On a plain PostgreSQL, it is one batcher. The batcher of a shard is created with its first item, but
 * does not run in the context of the caller that added it, whose unit would otherwise contain the writes of others.
 */
export function createShardBatcher<In, Out>(
  db: Pick<Db, "at" | "shardOf">,
  { bucketOf, ...options }: BatchOptions<In, Out> & { bucketOf(item: In): number },
): Batcher<In, Out> {
  const whole = createBatcher(options);
  const outside = ownContext();
  const shards = new Map<string, Batcher<In, Out>>();

  function ofShard(shard: string, bucket: number): Batcher<In, Out> {
    if (shard === "") return whole;
    let made = shards.get(shard);
    if (made === undefined) {
      made = outside(() =>
        createBatcher({ ...options, run: async (items) => await db.at(bucket, async () => await options.run(items)) }),
      );
      shards.set(shard, made);
    }
    return made;
  }

  return {
    add(item) {
      const bucket = bucketOf(item);
      const shard = db.shardOf(bucket);
      return typeof shard === "string"
        ? ofShard(shard, bucket).add(item)
        : shard.then(async (name) => await ofShard(name, bucket).add(item));
    },
    get waiting() {
      return [whole, ...shards.values()].reduce((total, { waiting }) => total + waiting, 0);
    },
  };
}
