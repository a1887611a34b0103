import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { ruleOn } from "../../testing/rules.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const CLIENTS = 20;
const KILLS = 4;
const PEOPLE = 30;

let dataDir: string;
let survivor: TestService;
let receiver: Receiver;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-dispatch-crash-"));
  receiver = await startReceiver();
  survivor = await startService({ env: UNLIMITED });
});
afterEach(async () => {
  await survivor.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

/**
 * Fires events about a few people at a separate node, and stops it with SIGKILL `afterMs` after it has accepted some. Returns the ids of the
 * accepted events.
 */
async function fireAndKill(afterMs: number): Promise<string[]> {
  const port = await freePort();
  const env = { DATABASE_URL: survivor.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: dataDir };
  const node = startProcess({ ...env, ...UNLIMITED, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, port);
  await node.ready();
  const accepted: string[] = [];
  let running = true;
  const clients = Array.from({ length: CLIENTS }, async (_client, client) => {
    for (let n = client; running; n += 1) {
      const who = n % PEOPLE;
      const customer = { external_id: `c${who}`, email: `c${who}@example.com`, name: `Name ${n}` };
      const answer = await fetch(`${node.baseUrl}/v1/events/fire`, {
        method: "POST",
        headers: { Authorization: `Bearer ${survivor.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ event: "order.created", data: { customer } }),
      })
        .then(async (response) => (await response.json()) as { id?: string })
        .catch(() => undefined);
      if (answer?.id !== undefined) accepted.push(answer.id);
    }
  });
  await expect.poll(() => accepted.length).toBeGreaterThan(CLIENTS);
  await sleep(afterMs);
  await node.kill();
  running = false;
  await Promise.all(clients);
  return accepted;
}

async function count(text: string, values: unknown[] = []): Promise<number> {
  const [row] = await survivor.database.query<{ n: number }>(`select count(*)::int as n from ${text}`, values);
  return row?.n ?? 0;
}

test("kill -9 at any moment loses no reaction and repeats none", async () => {
  await survivor.endpoint(receiver.url, { events: ["order.created"] });
  await ruleOn(survivor, {
    on: ["order.created"],
    then: [{ type: "adjust_score", by: 1 }],
    max_runs_per_minute: 6000,
  });
  const accepted: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) accepted.push(...(await fireAndKill(Math.random() * 1200)));
  expect(accepted.length).toBeGreaterThan(CLIENTS * KILLS);
  // Another node takes over the remaining work of a killed node once its leases have expired.
  const isOpen = "dispatch_stage where state in ('waiting', 'running')";
  await expect.poll(async () => await count(isOpen), { timeout: 150_000, interval: 500 }).toBe(0);
  await expect.poll(async () => await count("pending_delivery"), { timeout: 150_000, interval: 500 }).toBe(0);
  const events = await count("event where name = 'order.created'");
  expect(events).toBeGreaterThanOrEqual(accepted.length);
  expect(await count("event where id = any($1::uuid[])", [accepted.map(uuidOf)])).toBe(accepted.length);
  expect(await count("dispatch_stage where error is not null")).toBe(0);
  expect(await count("activity where kind = 'event'")).toBe(events);
  expect(await count("rule_run where status in ('ok', 'limited')")).toBe(events);
  const [score] = await survivor.database.query<{ sum: number }>("select sum(score)::int as sum from contact");
  expect(score?.sum).toBe(await count("rule_run where status = 'ok'"));
  expect(await count("contact")).toBeLessThanOrEqual(PEOPLE);
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).id)).size).toBe(events);
});
