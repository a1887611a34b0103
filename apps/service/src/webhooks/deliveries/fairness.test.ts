import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Responds after `ms`. Returns a function that gives the highest number of concurrent requests. */
function slow(receiver: Receiver, ms: number): () => number {
  let open = 0;
  let most = 0;
  receiver.answer((response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(200).end();
    }, ms);
  });
  return () => most;
}

async function fireBatch(event: string, count: number, by: TestService = service): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ event, data: { n } }));
  const fired = await by.api("POST", "/v1/events/batch", { events });
  expect(fired.status).toBe(202);
}

test("an endpoint gets exactly max_in_flight concurrent requests", async () => {
  const { receiver, event } = await subscribe(service, { more: { max_in_flight: 3 } });
  const most = slow(receiver, 10);
  // Sends more than the process keeps in memory for one endpoint, so that some deliveries come from the database.
  await fireBatch(event, 100);
  await receiver.count(100);
  expect(most()).toBe(3);
});

test("a max_in_flight of one sends one request at a time", async () => {
  const { receiver, event } = await subscribe(service, { more: { max_in_flight: 1 } });
  const most = slow(receiver, 5);
  await fireBatch(event, 20);
  await receiver.count(20);
  expect(most()).toBe(1);
});

test("an endpoint that hangs does not delay others", async () => {
  const hanging = await subscribe(service);
  hanging.receiver.answer(() => undefined);
  const fine = await subscribe(service, { more: { events: [hanging.event] } });
  await fireBatch(hanging.event, 200);
  await hanging.receiver.count(16);
  // The hanging requests hold their slots for 15 s. A delivery that waited for one would take longer than this.
  await fine.receiver.count(200, 12_000);
  const waits: number[] = [];
  for (let nth = 0; nth < 20; nth += 1) {
    const before = Date.now();
    const fired = await service.fire(hanging.event);
    const id = fired["deliveries"].find((one: { endpoint_id: string }) => one.endpoint_id === fine.endpoint.id).id;
    await deliveryLog(service).in(id, "delivered");
    waits.push(Date.now() - before);
  }
  expect(Math.max(...waits)).toBeLessThan(12_000);
  expect(hanging.receiver.received).toHaveLength(16);
});

/**
 * Checks the contract's pace: a burst is one second's worth, so that at most rate × (T + 1 s) requests have arrived at
 * a time T after the events were fired. T starts before the first request could be sent, so this holds even if a busy
 * machine delays a request.
 */
function keepsPace(times: readonly number[], firedAt: number, rate: number): void {
  for (const [index, at] of times.toSorted((a, b) => a - b).entries()) {
    expect(index + 1).toBeLessThanOrEqual((rate * (at - firedAt + 1000)) / 1000);
  }
}

test("all nodes together keep rate_limit_per_second without using up attempts", async () => {
  const second = await startService({ on: service, env: UNLIMITED });
  try {
    const rate = 20;
    const { receiver, event } = await subscribe(service, { more: { rate_limit_per_second: rate } });
    const firedAt = Date.now();
    await Promise.all([fireBatch(event, 25), fireBatch(event, 25, second)]);
    await receiver.count(50);
    keepsPace(
      receiver.received.map(({ at }) => at),
      firedAt,
      rate,
    );
    const page = await service.until(
      `/v1/deliveries?event=${event}&state=delivered&limit=100`,
      (body) => body["data"].length === 50,
    );
    expect(page["data"].every((one: { attempt_count: number }) => one.attempt_count === 1)).toBe(true);
  } finally {
    await second.close();
  }
});

test("a paced endpoint does not delay others", async () => {
  const paced = await subscribe(service, { more: { rate_limit_per_second: 1 } });
  const fine = await subscribe(service, { more: { events: [paced.event] } });
  await fireBatch(paced.event, 30);
  await fine.receiver.count(30);
  // All of its own deliveries would take half a minute.
  expect(paced.receiver.received.length).toBeLessThan(20);
});
