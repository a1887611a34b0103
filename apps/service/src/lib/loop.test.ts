import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLoop } from "./loop.ts";

const LONG_MS = 3_600_000;

test("a wake ends the sleep, and a wake during a round starts another round", async () => {
  const looks: (() => void)[] = [];
  const loop = createLoop({
    round: async () => await new Promise<number>((resolve) => looks.push(() => resolve(LONG_MS))),
    failed: () => LONG_MS,
  });
  loop.start();
  expect(looks).toHaveLength(1);
  loop.wake();
  looks[0]?.();
  await expect.poll(() => looks.length).toBe(2);
  looks[1]?.();
  await sleep(20);
  expect(looks).toHaveLength(2);
  loop.wake();
  await expect.poll(() => looks.length).toBe(3);
  looks[2]?.();
  await loop.stop();
});

test("a failing round is reported and repeated, and stopping waits for the round", async () => {
  const errors: unknown[] = [];
  let looks = 0;
  let end = (): void => undefined;
  const loop = createLoop({
    round: async (stopping) => {
      looks += 1;
      if (looks === 1) throw new Error("the database is gone");
      await new Promise<void>((resolve) => (end = resolve));
      return stopping.aborted ? 0 : LONG_MS;
    },
    failed: (error) => {
      errors.push(error);
      return 1;
    },
  });
  loop.start();
  await expect.poll(() => looks).toBe(2);
  expect(errors).toHaveLength(1);
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await sleep(10);
  expect(stopped).toBe(false);
  end();
  await stopping;
  expect(looks).toBe(2);
});

test("a loop starts again after a stop, and stopping before the start does nothing", async () => {
  let looks = 0;
  const loop = createLoop({
    round: async () => {
      looks += 1;
      return await Promise.resolve(LONG_MS);
    },
    failed: () => LONG_MS,
  });
  await loop.stop();
  loop.start();
  await loop.stop();
  loop.start();
  await loop.stop();
  expect(looks).toBe(2);
});

test("a start before the stop has ended waits for the running round", async () => {
  const rounds: (() => void)[] = [];
  const loop = createLoop({
    round: async () => await new Promise<number>((resolve) => rounds.push(() => resolve(1))),
    failed: () => 1,
  });
  loop.start();
  const stopping = loop.stop();
  loop.start();
  loop.start();
  await sleep(20);
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await stopping;
  await expect.poll(() => rounds.length).toBe(2);
  const stopped = loop.stop();
  rounds[1]?.();
  await stopped;
  await sleep(20);
  expect(rounds).toHaveLength(2);
});
