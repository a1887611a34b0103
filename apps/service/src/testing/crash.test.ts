import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createCrashNode, repeatWith } from "./crash-node.ts";
import type { CrashNode } from "./crash-node.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";

const CLIENTS = 20;

let node: CrashNode;
let receiver: Receiver;

beforeEach(async () => {
  node = await createCrashNode({
    JUNCTION_RATE_LIMITS: '{"events.fire":1000000}',
    JUNCTION_RETRY_LADDER: "200ms,200ms,1s,1s,1s",
  });
  receiver = await startReceiver();
  await node.start();
});
afterEach(async () => {
  await node.close();
  await receiver.close();
});

/** Fires an event. Returns its id if it was accepted with 202. */
async function fire(event: string, data: object): Promise<string | undefined> {
  const answer = await node.send("POST", "/v1/events/fire", { event, data });
  return answer.status === 202 ? ((await answer.json()) as { id: string }).id : undefined;
}

/** Expects that every accepted event arrives at least once. The leases of the killed process expire within 90 s. */
async function expectAll(accepted: readonly string[]): Promise<void> {
  const deadline = Date.now() + 90_000;
  const missing = new Set(accepted);
  while (missing.size > 0 && Date.now() < deadline) {
    for (const { body } of receiver.received) missing.delete((JSON.parse(body) as { id: string }).id);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect([...missing]).toEqual([]);
}

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

covers(
  "deliver.semantics.at-least-once",
  "kill -9 of the service under 20 clients loses no accepted event",
  async () => {
    await node.send("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
    const firing = repeatWith(CLIENTS, async (client, n) => await fire("crash.test", { client, n }));
    await expect.poll(firing.accepted).toBeGreaterThan(5 * CLIENTS);
    await node.kill();
    const accepted = await firing.stop();
    await node.start();
    await expectAll(accepted);
  },
);

test("kill -9 of the database loses no accepted event, and the service resumes", async () => {
  await node.send("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  const firing = repeatWith(CLIENTS, async (client, n) => await fire("crash.test", { client, n }));
  await expect.poll(firing.accepted).toBeGreaterThan(5 * CLIENTS);
  const postmaster = Number((await readFile(join(node.folder, "data/postgres/postmaster.pid"), "utf8")).split("\n")[0]);
  process.kill(postmaster, "SIGKILL");
  await pause(1000);
  let after: string | undefined;
  await expect
    .poll(async () => (after ??= await fire("crash.after", {})), { timeout: 60_000, interval: 200 })
    .toBeDefined();
  const accepted = await firing.stop();
  await expectAll([...accepted, after ?? ""]);
});
