import { expect, test } from "vitest";
import { createBatcher } from "./batch.ts";

function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test("items of one turn share a batch, in order of arrival, and each gets its own result", async () => {
  const batches: number[][] = [];
  const batcher = createBatcher<number, string>({
    maxSize: 100,
    run: async (items) => {
      batches.push([...items]);
      return await Promise.resolve(items.map((item) => `r${item}`));
    },
  });
  const results = await Promise.all([1, 2, 3].map(async (item) => await batcher.add(item)));
  expect(results).toEqual(["r1", "r2", "r3"]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test("what arrives while a batch is under way goes together into the next", async () => {
  const batches: number[][] = [];
  const first = gate();
  const batcher = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      batches.push([...items]);
      if (batches.length === 1) await first.passed;
      return items;
    },
  });
  const one = batcher.add(1);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const others = [batcher.add(2), batcher.add(3)];
  expect(batcher.waiting).toBe(2);
  first.open();
  await Promise.all([one, ...others]);
  expect(batches).toEqual([[1], [2, 3]]);
});

test("a batch is never larger than its limit, and nothing is left behind", async () => {
  const sizes: number[] = [];
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    concurrency: 2,
    run: async (items) => {
      sizes.push(items.length);
      return await Promise.resolve(items);
    },
  });
  const items = Array.from({ length: 95 }, (_, item) => item);
  expect(await Promise.all(items.map(async (item) => await batcher.add(item)))).toEqual(items);
  expect(Math.max(...sizes)).toBe(10);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(95);
});

test("no more batches are under way than allowed", async () => {
  let running = 0;
  let most = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 1,
    concurrency: 3,
    run: async (items) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      return items;
    },
  });
  await Promise.all(Array.from({ length: 20 }, async (_, item) => await batcher.add(item)));
  expect(most).toBe(3);
});

test("an error as a result rejects that item alone", async () => {
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    run: async (items) => await Promise.resolve(items.map((item) => (item === 2 ? new Error("no two") : item))),
  });
  const results = await Promise.allSettled([1, 2, 3].map(async (item) => await batcher.add(item)));
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a batch that fails rejects its items, and the next one runs all the same", async () => {
  let calls = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    run: async (items) => {
      calls += 1;
      if (calls === 1) throw new Error("the database is away");
      return await Promise.resolve(items);
    },
  });
  await expect(batcher.add(1)).rejects.toThrow("the database is away");
  expect(await batcher.add(2)).toBe(2);
});

test("a batch loses the one item that fails, and none of its neighbours", async () => {
  const batches: number[] = [];
  const batcher = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      batches.push(items.length);
      if (items.includes(37)) throw new RangeError("37 cannot be written");
      return await Promise.resolve(items);
    },
  });
  const items = Array.from({ length: 100 }, (_, item) => item);
  const results = await Promise.allSettled(items.map(async (item) => await batcher.add(item)));
  expect(results.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([37]);
  expect(batches.length).toBeLessThan(20);
});

test("a batch that a fault of the database hits is not divided: each half would meet it too", async () => {
  let calls = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 100,
    run: async () => {
      calls += 1;
      throw await Promise.resolve(new Error("Connection terminated unexpectedly"));
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map(async (item) => await batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(calls).toBe(1);
});

test("a batch that loses against another transaction runs again", async () => {
  let calls = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      calls += 1;
      if (calls < 3) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
      return await Promise.resolve(items);
    },
  });
  expect(await batcher.add(1)).toBe(1);
});
