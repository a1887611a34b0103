import { expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { scheduleOf } from "./schedule.ts";
import { shrink } from "./shrink.ts";
import { seedsIn } from "./seeds.ts";

const SEEDS = Array.from({ length: 50 }, (_, at) => at + 1);

test("a seed always has the same schedule, and another seed another one", () => {
  for (const seed of SEEDS) {
    expect(scheduleOf(seed, 5)).toEqual(scheduleOf(seed, 5));
    expect(scheduleOf(seed, 5)).not.toEqual(scheduleOf(seed + 1, 5));
  }
});

test("every fault ends in time, and faults on one target never overlap", () => {
  for (const seed of SEEDS) {
    const faults = scheduleOf(seed, 2);
    for (const [at, { startMs, lengthMs, target }] of faults.entries()) {
      expect(startMs + lengthMs).toBeLessThanOrEqual(120_000);
      const next = faults.slice(at + 1).find((other) => other.target === target);
      if (next !== undefined) expect(next.startMs).toBeGreaterThanOrEqual(startMs + lengthMs);
    }
  }
});

test("faults of different targets overlap, and every kind comes", () => {
  const all = SEEDS.map((seed) => scheduleOf(seed, 2));
  const isOverlapping = all.filter((faults) =>
    faults.some(({ startMs, lengthMs }, at) => (faults[at + 1]?.startMs ?? Infinity) < startMs + lengthMs),
  );
  expect(isOverlapping).toHaveLength(SEEDS.length);
  expect(new Set(all.flat().map(({ kind }) => kind)).size).toBe(19);
});

test("the numbers of a seed are spread evenly", () => {
  const random = createRandom(7);
  const counts = new Map<number, number>();
  for (let at = 0; at < 10_000; at += 1) {
    const number = random.between(1, 10);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(Math.min(...counts.values())).toBeGreaterThan(850);
});

test("a failed run is made as small as what makes it fail", async () => {
  const items = Array.from({ length: 23 }, (_, at) => at);
  const fails = async (some: readonly number[]): Promise<boolean> =>
    await Promise.resolve(some.includes(3) && some.includes(17));
  expect(await shrink(items, fails)).toEqual([3, 17]);
});

test("a failure that needs no fault is made smaller to nothing", async () => {
  expect(await shrink([1, 2, 3], async () => await Promise.resolve(true))).toEqual([]);
});

test("seeds are one number or a range", () => {
  expect(seedsIn("7")).toEqual([7]);
  expect(seedsIn("2..4")).toEqual([2, 3, 4]);
  expect(seedsIn("4..2")).toBeUndefined();
  expect(seedsIn("x")).toBeUndefined();
});
