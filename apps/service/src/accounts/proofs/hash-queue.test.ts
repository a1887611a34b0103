import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createHashQueue } from "./hash-queue.ts";
import type { HashPlace } from "./hash-queue.ts";

const place = (network: string, more: Partial<HashPlace> = {}): HashPlace => ({
  purpose: "sign_in",
  network,
  account: network,
  ...more,
});
const codeOf = (error: unknown): unknown => (error as { code?: string }).code;

test("a network and an account have a share, and are refused beyond it", async () => {
  const queue = createHashQueue();
  const work = async (): Promise<string> => await pause(5, "done");
  const ofNetwork = Array.from(
    { length: 50 },
    async (_, at) => await queue.add(place("one", { account: String(at) }), work).catch(codeOf),
  );
  const ofAccount = Array.from(
    { length: 20 },
    async (_, at) => await queue.add(place(`net ${at}`, { account: "x" }), work).catch(codeOf),
  );
  const refused = async (all: Promise<unknown>[]): Promise<number> =>
    (await Promise.all(all)).filter((one) => one === "service_unavailable").length;
  expect(await refused(ofNetwork)).toBeGreaterThanOrEqual(10);
  expect(await refused(ofAccount)).toBeGreaterThanOrEqual(8);
  expect(await queue.add(place("one"), work)).toBe("done");
});

test("an honest person is served soon during a flood from many networks", async () => {
  const queue = createHashQueue();
  const done: string[] = [];
  const run = async (name: string, at: HashPlace): Promise<void> => {
    await queue
      .add(at, async () => await pause(2))
      .then(
        () => done.push(name),
        () => undefined,
      );
  };
  const flood = Array.from({ length: 300 }, async (_, at) => await run("flood", place(`net ${at}`)));
  const known = run("known", place("home", { isKnown: true }));
  const more = Array.from({ length: 300 }, async (_, at) => await run("flood", place(`other ${at}`)));
  await run("newest", place("honest"));
  await known;
  expect(done.indexOf("newest")).toBeLessThan(6);
  expect(done.indexOf("known")).toBeLessThan(6);
  await Promise.all(more);
  await Promise.all(flood);
  expect(done.length).toBeLessThan(60);
});

test("a purpose that is full leaves the places of the others", async () => {
  const queue = createHashQueue();
  const done: string[] = [];
  const flood = Array.from(
    { length: 200 },
    async (_, at) =>
      await queue
        .add(place(`net ${at}`), async () => {
          await pause(2);
          done.push("sign_in");
        })
        .catch(codeOf),
  );
  await queue.add(place("home", { purpose: "reset" }), async () => await pause(2));
  expect(done.length).toBeLessThan(6);
  await Promise.all(flood);
});

test("work that throws frees its place", async () => {
  const queue = createHashQueue();
  for (let at = 0; at < 50; at += 1)
    await expect(
      queue.add(place("one"), async () => {
        await pause(0);
        throw new Error("no memory");
      }),
    ).rejects.toThrow("no memory");
  expect(await queue.add(place("one"), async () => await pause(0, "done"))).toBe("done");
});
