import { describe, expect, test } from "vitest";
import { createBatcher, Overweight } from "./batch.ts";

function accessChecks(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test("items of one turn share a batch in order, each with its own result", async () => {
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

test("items that arrive while a batch runs go together into the next one", async () => {
  const batches: number[][] = [];
  const first = accessChecks();
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

test("a batch never exceeds its limit, and no item is left behind", async () => {
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

test("concurrent batches do not exceed the limit", async () => {
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

test("a batch that fails rejects its items, and the next batch still runs", async () => {
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

test("a batch rejects the one item that fails and resolves the others", async () => {
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

test("a batch is not divided when a database fault would fail each half", async () => {
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

test("a batch takes from each share in turn and keeps each share's order", async () => {
  const batches: string[][] = [];
  const first = accessChecks();
  const batcher = createBatcher<string, string>({
    maxSize: 4,
    shareOf: (item) => item.charAt(0),
    run: async (items) => {
      batches.push([...items]);
      if (batches.length === 1) await first.passed;
      return items;
    },
  });
  const adding = ["a0", ...Array.from({ length: 300 }, (_item, n) => `a${n + 1}`)].map(
    async (item) => await batcher.add(item),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const late = ["b1", "c1", "b2"].map(async (item) => await batcher.add(item));
  first.open();
  await Promise.all([...adding, ...late]);
  expect(batches[1]).toEqual(["a4", "b1", "c1", "a5"]);
  expect(batches[2]).toEqual(["b2", "a6", "a7", "a8"]);
  const ofA = batches.flat().filter((item) => item.startsWith("a"));
  expect(ofA).toEqual(Array.from({ length: 301 }, (_item, n) => `a${n}`));
  expect(batcher.waiting).toBe(0);
});

test("few items of a share wait for no batch of many", async () => {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batcher = createBatcher<string, string>({
    maxSize: 20,
    shareOf: (item) => item.charAt(0),
    favorsFew: true,
    run: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
  });
  const names = (share: string, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_item, n) => `${share}${from + n}`);
  const all = names("a", 0, 50).map(async (item) => await batcher.add(item));
  await expect.poll(() => batches).toEqual([names("a", 0, 20)]);
  all.push(...["b0", "c0", "b1"].map(async (item) => await batcher.add(item)));
  await expect.poll(() => batches.slice(1)).toEqual([["b0", "c0", "b1"]]);
  // Now it has many too.
  all.push(...names("b", 2, 30).map(async (item) => await batcher.add(item)));
  ends[0]?.();
  const inTurn = names("a", 20, 30).flatMap((item, n) => [item, `b${n + 2}`]);
  await expect.poll(() => batches.slice(2)).toEqual([inTurn]);
  ends[2]?.();
  for (let at = 1; batcher.waiting > 0 || at < ends.length; at += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(at);
    ends[at]?.();
  }
  expect((await Promise.all(all)).toSorted()).toEqual([...names("a", 0, 50), ...names("b", 0, 30), "c0"].toSorted());
});

describe("heavy items in batches of their own", () => {
  interface Item {
    readonly owner: string;
    readonly weight: number;
  }

  /** Returns a batcher with two concurrent batches that end on request, and the batches that have begun. */
  function heldBatches(): { add(...items: Item[]): void; begun: Item[][]; end(at: number): Promise<void> } {
    const begun: Item[][] = [];
    const ends: (() => void)[] = [];
    const batcher = createBatcher<Item, null>({
      maxSize: 3,
      concurrency: 2,
      weight: { of: ({ weight }) => weight, max: 10 },
      shareOf: ({ owner }) => owner,
      apart: ({ weight }) => weight >= 5,
      run: async (items) => {
        begun.push([...items]);
        const held = accessChecks();
        ends.push(held.open);
        await held.passed;
        return items.map(() => null);
      },
    });
    const turn = async (): Promise<void> => {
      for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    return {
      begun,
      add: (...items) => {
        for (const item of items) void batcher.add(item);
      },
      async end(at) {
        await turn();
        ends[at]?.();
        await turn();
      },
    };
  }

  const light = (owner: string): Item => ({ owner, weight: 1 });
  const heavy = (owner: string): Item => ({ owner, weight: 11 });

  test("light items pass heavy items, of which one runs at a time", async () => {
    const { add, begun, end } = heldBatches();
    add(heavy("a"), heavy("a"), heavy("a"), light("b"));
    await end(0);
    expect(begun).toEqual([[light("b")], [heavy("a")]]);
    add(light("b"));
    await end(2);
    expect(begun).toEqual([[light("b")], [heavy("a")], [light("b")]]);
    await end(1);
    expect(begun[3]).toEqual([heavy("a")]);
  });

  test("heavy items of one share run together, as many as one batch may weigh", async () => {
    const { add, begun, end } = heldBatches();
    const half = (owner: string): Item => ({ owner, weight: 5 });
    add(half("a"), half("a"), half("a"), half("b"), light("c"));
    for (const at of [0, 1, 2, 3]) await end(at);
    expect(begun).toEqual([[light("c")], [half("a"), half("a")], [half("b")], [half("a")]]);
  });

  test("items that weigh too much together run again in separate batches", async () => {
    const known = new Map<string, number>();
    const begun: string[][] = [];
    const batcher = createBatcher<string, string>({
      maxSize: 10,
      weight: { of: (item) => known.get(item) ?? 1, max: 10 },
      shareOf: (item) => item,
      apart: (item) => (known.get(item) ?? 1) > 10,
      run: async (items) => {
        begun.push([...items]);
        if (items.length > 1 && !known.has("heavy")) {
          known.set("heavy", 11);
          throw new Overweight();
        }
        return await Promise.resolve(items);
      },
    });
    const answers = ["light", "heavy"].map(async (item) => await batcher.add(item));
    expect(await Promise.all(answers)).toEqual(["light", "heavy"]);
    expect(begun).toEqual([["light", "heavy"], ["light"], ["heavy"]]);
  });

  test("shares take turns with their heavy items", async () => {
    const { add, begun, end } = heldBatches();
    add(heavy("a"), heavy("a"), heavy("a"), heavy("b"));
    for (const at of [0, 1, 2, 3]) await end(at);
    expect(begun.map(([item]) => item?.owner)).toEqual(["a", "b", "a", "a"]);
  });
});

test("exclusive shares are in one batch at a time and keep their order", async () => {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batcher = createBatcher<string, string>({
    maxSize: 3,
    concurrency: 2,
    shareOf: (item) => item.charAt(0),
    exclusive: true,
    run: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
  });
  const all = ["a1", "a2", "a3", "a4", "a5"].map(async (item) => await batcher.add(item));
  await expect.poll(() => batches).toEqual([["a1", "a2", "a3"]]);
  all.push(...["b1", "a6"].map(async (item) => await batcher.add(item)));
  await expect.poll(() => batches).toEqual([["a1", "a2", "a3"], ["b1"]]);
  all.push(batcher.add("b2"), batcher.add("c1"));
  ends[1]?.();
  await expect.poll(() => batches.slice(2)).toEqual([["c1", "b2"]]);
  ends[0]?.();
  await expect.poll(() => batches.slice(3)).toEqual([["a4", "a5", "a6"]]);
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "a4", "a5", "b1", "a6", "b2", "c1"]);
  expect(batcher.waiting).toBe(0);
});

test("exclusive shares are free again after their batch fails or weighs too much", async () => {
  let runs = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    concurrency: 2,
    shareOf: () => "one",
    exclusive: true,
    run: async (items) => {
      runs += 1;
      if (runs === 1) throw new Overweight();
      if (items.includes(2)) throw new Error("poison");
      return await Promise.resolve(items);
    },
  });
  const ends = await Promise.allSettled([1, 2, 3].map(async (item) => await batcher.add(item)));
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await batcher.add(4)).toBe(4);
});
