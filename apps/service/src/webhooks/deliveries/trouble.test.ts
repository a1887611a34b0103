import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import type { DatabaseProxy } from "../../testing/database-proxy.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  // This node sends nothing itself. The node whose database connection is disturbed sends everything that arrives.
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

let shiftMs = 0;
const clock: Clock = { now: () => instant(Date.now()), monotonicMs: () => performance.now() + shiftMs };
beforeEach(() => {
  shiftMs = 0;
});

/** Runs with a second node, the only one that sends. Its connection to the database can be disturbed. */
async function withNode(run: (node: TestService, proxy: DatabaseProxy) => Promise<void>): Promise<void> {
  const proxy = await startDatabaseProxy(service.database.url);
  const node = await startService({ on: service, env: { ...UNLIMITED, DATABASE_URL: proxy.url }, deps: { clock } });
  try {
    await run(node, proxy);
  } finally {
    proxy.restore();
    await node.close();
  }
}

/** Makes pending deliveries due without notifying a node. */
async function makeDue(): Promise<void> {
  await service.database.query("update pending_delivery set due_at = now()");
}

test("a worker continues after its database was away for over a minute", async () => {
  await withNode(async (_node, proxy) => {
    const { fire, receiver } = await subscribe(service, { status: 500 });
    const id = await fire();
    await log.attempted(id, 1);
    proxy.cut();
    shiftMs = 70_000;
    // The node polls, listens and fails several times.
    await sleep(3500);
    receiver.status(200);
    await makeDue();
    proxy.restore();
    // The request must arrive sooner than the next poll of an idle node.
    await receiver.count(2, 15_000);
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
    // The node also handles later deliveries.
    await log.in(await fire(), "delivered");
  });
});

test("a result is written when the database is back, without another attempt", async () => {
  await withNode(async (_node, proxy) => {
    const { fire, receiver } = await subscribe(service);
    let answer: () => void = () => undefined;
    receiver.answer((response) => {
      answer = () => response.writeHead(200).end();
    });
    const id = await fire();
    await receiver.count(1);
    proxy.cut();
    answer();
    await sleep(1200);
    expect(await log.get(id)).toMatchObject({ state: "pending", attempt_count: 0 });
    proxy.restore();
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
    expect(receiver.received).toHaveLength(1);
  });
});

test("a result that outlived its lease is dropped, and the delivery is repeated", async () => {
  await withNode(async (_node, proxy) => {
    const { fire, receiver } = await subscribe(service);
    let answer: () => void = () => undefined;
    receiver.answer((response) => {
      answer = () => response.writeHead(200).end();
    });
    const id = await fire();
    await receiver.count(1);
    proxy.cut();
    answer();
    await sleep(600);
    shiftMs = 60_000;
    await sleep(1200);
    receiver.status(200);
    await makeDue();
    proxy.restore();
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"]))).toEqual(new Set([id]));
  });
});

test("a node without its database refuses requests, is unready and recovers", async () => {
  await withNode(async (node, proxy) => {
    const event = { event: "order.created", data: {} };
    proxy.cut();
    for (const [method, path, body] of [
      ["POST", "/v1/events/fire", event],
      ["GET", "/v1/events", undefined],
    ] as const) {
      const answer = await node.api(method, path, body);
      expect([path, answer.status, answer.body["code"], answer.body["retryable"]]).toEqual([
        path,
        503,
        "service_unavailable",
        true,
      ]);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    expect((await node.api("GET", "/readyz")).body).toMatchObject({
      status: "unavailable",
      checks: { database: "failed" },
    });
    expect((await node.api("GET", "/livez")).status).toBe(200);
    proxy.restore();
    await expect.poll(async () => (await node.api("GET", "/readyz")).status).toBe(200);
    expect((await node.api("POST", "/v1/events/fire", event)).status).toBe(202);
  });
});
