import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { byShard, createShardBatcher, onEachShard } from "./shard-work.ts";
import type { Sites } from "./sites.ts";

const place = new AsyncLocalStorage<number>();
const unit = new AsyncLocalStorage<string>();

/** Even buckets are on one shard, odd ones on another. */
const shardOf = (bucket: number): string => (bucket % 2 === 0 ? "even" : "odd");
const sites = { ofEach: () => [0, 1], shardOf } as unknown as Sites;
const at = <T>(bucket: number, work: () => T): T => place.run(bucket, work);
const heard: string[] = [];
const log = { warn: (_fields: object, message: string) => void heard.push(message) };

test("results of several shards are in the order of the rows", async () => {
  const found = await byShard(
    { sites, tenants: { at } },
    {
      rows: [1, 2, 3, 4],
      bucketOf: (row) => row,
      run: async (rows) => await Promise.resolve(rows.map((row) => `${row} on ${shardOf(place.getStore() ?? 0)}`)),
    },
  );
  expect(found).toEqual(["1 on odd", "2 on even", "3 on odd", "4 on even"]);
});

test("a shard that fails is logged and left out, unless all fail", async () => {
  const places = { sites, tenants: { at }, log };
  const failingOn = (shards: readonly string[]) => async (): Promise<string[]> => {
    const shard = shardOf(place.getStore() ?? 0);
    if (shards.includes(shard)) throw new Error(`${shard} is down`);
    return await Promise.resolve([shard]);
  };
  expect(await onEachShard(places, failingOn(["odd"]))).toEqual(["even"]);
  expect(heard).toEqual(["some shards of the database cannot be reached"]);
  await expect(onEachShard(places, failingOn(["even", "odd"]))).rejects.toThrow("even is down");
});

test("a batch does not run in the unit of the caller that began it", async () => {
  const batcher = createShardBatcher<number, string>(
    { at, shardOf },
    {
      bucketOf: (item) => item,
      maxSize: 10,
      run: async (items) =>
        await Promise.resolve(
          items.map((item) => `${item} on ${shardOf(place.getStore() ?? 9)} in ${unit.getStore() ?? "none"}`),
        ),
    },
  );
  const begun = await unit.run("a caller's unit", async () => await batcher.add(2));
  expect(begun).toBe("2 on even in none");
});
