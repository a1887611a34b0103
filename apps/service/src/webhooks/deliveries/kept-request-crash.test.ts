import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, startProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const EVENT = "crash.transformed";
const KILLS = 3;
const EVENTS = 40;
const RANDOM = "export function transform({ data }) { return { body: { n: data.n, random: Math.random() } }; }";
const LATER = "export function transform({ data }) { return { body: { n: data.n, later: Math.random() } }; }";

let dataDir: string;
let survivor: TestService;
let receiver: Receiver;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-transforms-crash-"));
  receiver = await startReceiver();
  survivor = await startService({ env: SHORT_LADDER });
});
afterAll(async () => {
  await survivor.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Fires events at a separate node, and stops it with SIGKILL once the receiver has this number of requests. */
async function fireAndKill(from: number, requests: number): Promise<number> {
  const port = await freePort();
  const env = { DATABASE_URL: survivor.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: dataDir };
  const node = startProcess({ ...env, ...SHORT_LADDER, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, port);
  await node.ready();
  const fired = Array.from({ length: EVENTS }, async (_, at) => {
    const answer = await fetch(`${node.baseUrl}/v1/events/fire`, {
      method: "POST",
      headers: { Authorization: `Bearer ${survivor.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ event: EVENT, data: { n: from + at } }),
    }).catch(() => undefined);
    return answer?.status === 202 ? 1 : 0;
  });
  await receiver.count(requests);
  await node.kill();
  return (await Promise.all(fired)).reduce<number>((sum, one) => sum + one, 0);
}

async function count(text: string): Promise<number> {
  const [row] = await survivor.database.query<{ n: number }>(`select count(*)::int as n from ${text}`);
  return row?.n ?? 0;
}

test("kill -9 leads to another attempt with the same bytes", async () => {
  const { id, secret } = await survivor.endpoint(receiver.url, {
    events: [EVENT],
    max_in_flight: 64,
    transform: { kind: "script", source: RANDOM },
  });
  // The receiver never answers, so that each attempt is open when its node is killed.
  receiver.answer(() => undefined);
  let accepted = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const requests = receiver.received.length + 1 + Math.floor(Math.random() * (EVENTS / 2));
    accepted += await fireAndKill(kill * EVENTS, requests);
  }
  const sentByTheDead = new Map(receiver.received.map((one) => [idOf(one), one.body]));
  await survivor.api("PATCH", `/v1/webhook-endpoints/${id}`, { transform: { kind: "script", source: LATER } });
  receiver.status(200);
  // Leases end by themselves, but later.
  await survivor.database.query("update pending_delivery set due_at = now()");
  await survivor.database.query("select pg_notify('junction_due', '')");
  await expect.poll(async () => await count("pending_delivery"), { timeout: 150_000, interval: 500 }).toBe(0);

  const events = await count(`event where name = '${EVENT}'`);
  expect(events).toBeGreaterThanOrEqual(accepted);
  const sent = Map.groupBy(receiver.received, idOf);
  expect(sent.size).toBe(events);
  expect([...sent.values()].filter((all) => new Set(all.map(({ body }) => body)).size > 1)).toEqual([]);
  // Each request of a killed node was sent again as it was, although the transformation is another one now.
  expect(sentByTheDead.size).toBeGreaterThanOrEqual(KILLS);
  for (const [delivery, body] of sentByTheDead) {
    expect(body).toContain("random");
    expect(sent.get(delivery)?.length).toBeGreaterThan(1);
    expect(sent.get(delivery)?.at(-1)?.body).toBe(body);
  }
  for (const { body, headers } of receiver.received)
    new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(await count("attempt where error_class = 'transform'")).toBe(0);
});

function idOf({ headers }: Received): string {
  return String(headers["webhook-id"]);
}
