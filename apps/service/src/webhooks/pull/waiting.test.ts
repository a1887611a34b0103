import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

/** The wait of each pull, in seconds. One that nothing wakes fails its test. */
const WAIT = 25;

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

/** A pull of consumer `c` waits on each node while something is done. Returns how they were answered. */
async function whileWaiting(
  { path }: PullEndpoint,
  work: () => Promise<unknown>,
  body: object = {},
): Promise<readonly ApiAnswer[]> {
  const since = performance.now();
  const pulls = [service, twin].map(
    async (node) => await node.api("POST", `${path}/pull`, { consumer: "c", wait_seconds: WAIT, ...body }),
  );
  await sleep(300);
  await work();
  const answers = await Promise.all(pulls);
  expect(performance.now() - since).toBeLessThan(WAIT * 800);
  return answers;
}

const statuses = (answers: readonly ApiAnswer[]): number[] => answers.map(({ status }) => status).toSorted();

/** Returns the offsets that the one pull got that has a lease. */
function leased(answers: readonly ApiAnswer[]): number[] {
  expect(statuses(answers)).toEqual([200, 409]);
  return answers.flatMap((answer) => (answer.status === 200 ? offsetsIn(answer) : []));
}

test("a seek wakes the pulls of its consumer that wait on any node", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  await endpoint.drain();
  for (const node of [service, twin]) {
    const seek = async (): Promise<unknown> =>
      await node.api("POST", `${endpoint.path}/seek`, { consumer: "c", to: { offset: 2 } });
    expect(leased(await whileWaiting(endpoint, seek))).toEqual([2, 3]);
    await endpoint.call("seek", { consumer: "c", to: "end" });
  }
});

test("a seek wakes no other consumer, and none to the end", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  await endpoint.drain("a");
  await endpoint.drain("b");
  const ends: string[] = [];
  const waiting = ["a", "b"].map(async (consumer) => {
    const pulled = await endpoint.pull({ consumer, wait_seconds: WAIT });
    ends.push(consumer);
    return pulled;
  });
  await sleep(300);
  await endpoint.call("seek", { consumer: "a", to: "end" });
  await endpoint.call("seek", { consumer: "b", to: "start" });
  expect(numbersIn((await waiting[1]) as ApiAnswer)).toEqual([1]);
  expect(ends).toEqual(["b"]);
  await endpoint.fire({ n: 2 });
  expect(numbersIn((await waiting[0]) as ApiAnswer)).toEqual([2]);
});

test("pulls of a deleted consumer begin again at once", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  await endpoint.drain();
  const forget = async (): Promise<unknown> => await twin.api("DELETE", `${endpoint.path}/consumers/c`);
  expect(leased(await whileWaiting(endpoint, forget))).toEqual([1, 2]);
});

test("pulls that wait for a deleted endpoint get 404 at once", async () => {
  const endpoint = await pullEndpoint(service);
  const remove = async (): Promise<unknown> => await service.api("DELETE", endpoint.path);
  expect(statuses(await whileWaiting(endpoint, remove))).toEqual([404, 404]);
});

test("pulls that wait for an endpoint that is turned off get 409 at once", async () => {
  const endpoint = await pullEndpoint(service);
  const turn = async (): Promise<unknown> => await twin.api("POST", `${endpoint.path}/toggle`);
  const answers = await whileWaiting(endpoint, turn);
  expect(answers.map(({ body }) => [body["code"], body["detail"]])).toEqual(
    Array.from({ length: 2 }, () => ["conflict", expect.stringContaining("inactive")]),
  );
  await turn();
  const patch = async (): Promise<unknown> => await service.api("PATCH", endpoint.path, { active: false });
  expect(statuses(await whileWaiting(endpoint, patch))).toEqual([409, 409]);
});

test("changes that a pull does not depend on leave it waiting", async () => {
  const endpoint = await pullEndpoint(service);
  const answers = await whileWaiting(endpoint, async () => {
    const refused = await service.api("PATCH", endpoint.path, { ordering: { key: "subject" } });
    expect(refused.body["errors"]).toMatchObject([{ pointer: "/ordering" }]);
    expect((await service.api("PATCH", endpoint.path, { description: "new" })).status).toBe(200);
    await sleep(200);
    await endpoint.fire({ n: 1 });
  });
  expect(leased(answers)).toEqual([1]);
});

test("no seek is missed by a pull that is about to wait", { timeout: 60_000 }, async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  await endpoint.drain();
  for (let round = 0; round < 60; round += 1) {
    const pulling = twin.api("POST", `${endpoint.path}/pull`, { consumer: "c", wait_seconds: WAIT });
    await sleep(round % 12);
    await endpoint.call("seek", { consumer: "c", to: "start" });
    expect(numbersIn(await pulling)).toEqual([1]);
    // Ends the lease too.
    await endpoint.call("seek", { consumer: "c", to: "end" });
  }
});
