import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordLanes } from "../../testing/lane-record.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import type { ServiceProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const WRITERS = 8;
const LANES = 4;
const KILLS = 12;
const NODE_KILLS = 3;

let service: TestService;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-lanes-"));
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Fires numbered events until it is stopped. A call without an answer is repeated with its key, so that its events keep their order. */
async function write(baseUrl: () => string, event: string, w: string, stopped: () => boolean): Promise<void> {
  const numbers = new Map<string, number>();
  for (let call = 0; !stopped(); call += 1) {
    const order = String(Math.floor(Math.random() * LANES));
    const n = (numbers.get(order) ?? 0) + 1;
    numbers.set(order, n);
    const body = JSON.stringify({ event, data: { order, w, n } });
    for (let status = 0; status !== 202;) {
      const answer = await fetch(`${baseUrl()}/v1/events/fire`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${service.key}`,
          "Content-Type": "application/json",
          "Idempotency-Key": `${event}-${w}-${call}`,
        },
        body,
      }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      status = answer?.status ?? 0;
      if (status !== 202) await sleep(50);
    }
  }
}

async function nothingPending(event: string): Promise<void> {
  const pending = async (): Promise<number> => {
    // Leases of killed nodes end by themselves, but later.
    await service.database.query(
      "update pending_delivery set due_at = now() where lease_id is not null and due_at < now() + interval '55 seconds'",
    );
    await service.database.query("select pg_notify('junction_due', '')");
    const [row] = await service.database.query<{ n: number }>(
      "select count(*)::int as n from pending_delivery where event_name = $1",
      [event],
    );
    return row?.n ?? -1;
  };
  await expect.poll(pending, { timeout: 120_000, interval: 1000 }).toBe(0);
}

async function counts(event: string): Promise<{ readonly events: number; readonly delivered: number }> {
  const [row] = await service.database.query<{ events: number; delivered: number }>(
    `select (select count(*) from event where name = $1)::int as events,
      (select count(*) from delivery where event_name = $1 and state = 'delivered')::int as delivered`,
    [event],
  );
  return row ?? { events: -1, delivered: -1 };
}

test("killed sessions of the database cost no delivery of a lane its place", { timeout: 300_000 }, async () => {
  const { receiver, event } = await subscribe(service, {
    more: { ordering: { key: "$.data.order" }, max_in_flight: 64 },
  });
  const record = recordLanes(receiver, () => 200);
  let stopped = false;
  const writers = Array.from(
    { length: WRITERS },
    async (_, w) =>
      await write(
        () => service.baseUrl,
        event,
        `w${w}`,
        () => stopped,
      ),
  );
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(100 + Math.random() * 400);
    await service.database.query(
      `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state in ('active', 'idle in transaction') order by random() limit 2) p`,
    );
  }
  stopped = true;
  await Promise.all(writers);
  await nothingPending(event);
  const { events, delivered } = await counts(event);
  expect(delivered).toBe(events);
  expect(record.faults()).toEqual([]);
});

test("kill -9 of nodes costs no delivery of a lane its place", { timeout: 300_000 }, async () => {
  const { receiver, event } = await subscribe(service, {
    more: { ordering: { key: "$.data.order" }, max_in_flight: 64 },
  });
  const record = recordLanes(receiver, () => 200);
  const port = await freePort();
  const env = { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: dataDir };
  const start = async (): Promise<ServiceProcess> => {
    const node = startProcess({ ...env, ...SHORT_LADDER, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, port);
    await node.ready();
    return node;
  };
  let node = await start();
  let stopped = false;
  const writers = Array.from(
    { length: WRITERS },
    async (_, w) =>
      await write(
        () => (w % 2 === 0 ? service.baseUrl : `http://127.0.0.1:${port}`),
        event,
        `w${w}`,
        () => stopped,
      ),
  );
  for (let kill = 0; kill < NODE_KILLS; kill += 1) {
    await sleep(500 + Math.random() * 1000);
    await node.kill();
    node = await start();
  }
  stopped = true;
  await Promise.all(writers);
  await node.kill();
  await nothingPending(event);
  const { events, delivered } = await counts(event);
  expect(delivered).toBe(events);
  expect(record.faults().filter((fault) => !fault.includes("at once"))).toEqual([]);
});
