import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { nextTurn } from "./next-turn.ts";

test("one of several paused works continues in each turn of the loop", async () => {
  const wentOn: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 2; piece += 1) {
      await nextTurn();
      wentOn.push(name);
    }
  };
  const all = Promise.all(["a", "b", "c"].map(work));
  const seen: number[] = [];
  for (let at = 0; at < 6; at += 1) {
    await turn();
    seen.push(wentOn.length);
  }
  await all;
  expect(wentOn).toEqual(["a", "b", "c", "a", "b", "c"]);
  expect(seen.map((count, at) => count - (seen[at - 1] ?? 0)).every((more) => more <= 1)).toBe(true);
});

test("work that pauses alone continues without a rest", async () => {
  let isOver = false;
  const work = nextTurn().then(() => (isOver = true));
  for (let at = 0; at < 3; at += 1) await turn();
  expect(isOver).toBe(true);
  await work;
});

test("while the event loop is busy, other work has two thirds of it", async () => {
  const hold = (ms: number): number => {
    const begun = performance.now();
    while (performance.now() - begun < ms);
    return performance.now() - begun;
  };
  let [isOver, paused, others] = [false, 0, 0];
  const work = (async () => {
    for (let piece = 0; piece < 6; piece += 1) {
      await nextTurn();
      paused += hold(6);
    }
    isOver = true;
  })();
  while (!isOver) {
    others += hold(2);
    await turn();
  }
  await work;
  expect(others / paused).toBeGreaterThan(1);
});
