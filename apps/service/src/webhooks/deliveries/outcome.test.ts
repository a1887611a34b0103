import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

/** Retries of the service's short schedule could come between two steps of a test. */
const SLOW = { retry_schedule: [3600] };

covers(
  ["deliver.state.first-success", "deliver.log.fields"],
  "attempt 1 with status 200 delivers and is logged with status, snippet and latency",
  async () => {
    const { receiver, fire, endpoint, event } = await subscribe(service);
    receiver.answer((response) => response.writeHead(200, { "X-Theirs": "yes" }).end("thank you"));
    const id = await fire();
    const delivery = await log.in(id, "delivered");
    expect(delivery).toMatchObject({
      id,
      object: "delivery",
      event,
      endpoint_id: endpoint.id,
      light: "green",
      attempt_count: 1,
      next_attempt_at: null,
      last_status_code: 200,
      last_error_class: null,
      scope_kind: "workspace",
      environment: "live",
    });
    expect(delivery["event_id"]).toMatch(/^evt_/);
    expect(delivery["scope_key"]).toMatch(/^ws_/);
    expect(Date.parse(delivery["completed_at"])).toBeGreaterThanOrEqual(Date.parse(delivery["created_at"]) - 1);

    const [attempt, ...others] = await log.attempts(id);
    expect(others).toEqual([]);
    expect(attempt).toMatchObject({
      object: "attempt",
      delivery_id: id,
      number: 1,
      trigger: "ladder",
      status_code: 200,
      error_class: null,
      error_detail: null,
      resolved_ip: "127.0.0.1",
      response_snippet: "thank you",
      response_truncated: false,
    });
    expect(attempt?.["id"]).toMatch(/^att_/);
    expect(attempt?.["response_headers"]["x-theirs"]).toBe("yes");
    const latency = attempt?.["latency_ms"];
    expect(Object.keys(latency)).toEqual(["dns", "connect", "tls", "first_byte", "total"]);
    for (const part of Object.values(latency)) expect(part).toBeGreaterThanOrEqual(0);
    expect(latency.total).toBeGreaterThan(0);
    expect(latency.total).toBeGreaterThanOrEqual(latency.first_byte);
  },
);

covers("deliver.log.fields", "the latency is the receiver's own time, in milliseconds", async () => {
  const { receiver, fire } = await subscribe(service);
  receiver.answer((response) => void setTimeout(() => response.writeHead(200).end(), 120));
  const id = await fire();
  await log.in(id, "delivered");
  const [attempt] = await log.attempts(id);
  expect(attempt?.["latency_ms"].first_byte).toBeGreaterThan(100);
  expect(attempt?.["latency_ms"].total).toBeGreaterThan(100);
  // Microseconds would exceed this limit.
  expect(attempt?.["latency_ms"].total).toBeLessThan(20_000);
});

test("a delivery without an attempt shows no light and is due at once", async () => {
  const { receiver, fire } = await subscribe(service);
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const id = await fire();
  await receiver.count(1);
  const shown = await log.get(id);
  expect(shown).toMatchObject({
    state: "pending",
    light: null,
    attempt_count: 0,
    last_status_code: null,
    request: null,
  });
  expect(Math.abs(Date.parse(shown["next_attempt_at"]) - Date.parse(shown["created_at"]))).toBeLessThan(30_000);
  answer();
  await log.in(id, "delivered");
});

for (const status of [200, 201, 202, 204, 299]) {
  test(`status ${status} delivers`, async () => {
    const { fire } = await subscribe(service, { status });
    expect(await log.in(await fire(), "delivered")).toMatchObject({ attempt_count: 1, last_status_code: status });
  });
}

covers(
  ["deliver.retry.not-200", "deliver.retry.max-attempts", "deliver.state.parked"],
  "a delivery fails after six attempts and is not retried further",
  async () => {
    const { receiver, fire } = await subscribe(service, { status: 500 });
    const id = await fire();
    const amber = await log.attempted(id, 1);
    expect(amber).toMatchObject({
      state: "pending",
      light: "amber",
      last_status_code: 500,
      last_error_class: "http_status",
    });
    const parked = await log.in(id, "failed");
    expect(parked).toMatchObject({ light: "red", attempt_count: 6, next_attempt_at: null, last_status_code: 500 });
    const attempts = await log.attempts(id);
    expect(attempts.map((one) => one["number"])).toEqual([1, 2, 3, 4, 5, 6]);
    const waits = attempts
      .map((one) => Date.parse(one["started_at"]))
      .map((at, index, all) => at - (all[index - 1] ?? at));
    for (const [index, least] of [0, 100, 150, 200, 250, 300].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least);
      expect(waits[index]).toBeLessThan(least + 500);
    }
    await log.hurry();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"]))).toEqual(new Set([id]));
  },
);

test("a retry that is locked when due is made soon after the unlock", async () => {
  const { receiver, fire } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("select 1 from pending_delivery where id = $1 for update", [uuidOf(id)]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    receiver.status(200);
    await holder.query("rollback");
  } finally {
    await holder.end();
  }
  // The request must arrive sooner than the next poll of an idle node.
  await receiver.count(2, 15_000);
  expect(await log.in(id, "delivered")).toMatchObject({ light: "green" });
});

covers("deliver.state.any-success", "a success on the sixth attempt delivers and is shown green", async () => {
  const { receiver, fire } = await subscribe(service);
  receiver.answer((response) => response.writeHead(receiver.received.length < 6 ? 503 : 200).end());
  expect(await log.in(await fire(), "delivered")).toMatchObject({
    light: "green",
    attempt_count: 6,
    last_status_code: 200,
    last_error_class: null,
  });
  expect(receiver.received).toHaveLength(6);
});

covers("deliver.state.any-success", "a success on a retry delivers, and no attempt follows", async () => {
  const { receiver, fire } = await subscribe(service);
  receiver.answer((response) => response.writeHead(receiver.received.length < 2 ? 404 : 200).end());
  const id = await fire();
  expect(await log.in(id, "delivered")).toMatchObject({ light: "green", attempt_count: 2 });
  expect((await log.attempts(id)).map((one) => one["status_code"])).toEqual([404, 200]);
});

test("410 fails the delivery at once, deactivates the endpoint and fires its event", async () => {
  const watcher = await subscribe(service, { more: { events: ["webhook.endpoint.disabled"] } });
  const { receiver, fire, path, endpoint, event } = await subscribe(service, { status: 500, more: SLOW });
  const waiting = await fire();
  await log.attempted(waiting, 1);
  receiver.status(410);
  const gone = await fire();
  expect(await log.in(gone, "failed")).toMatchObject({ attempt_count: 1, last_status_code: 410, light: "red" });
  const [news] = await watcher.receiver.count(1);
  expect(JSON.parse(news?.body ?? "").data).toEqual({ endpoint_id: endpoint.id, url: receiver.url, reason: "gone" });
  expect((await service.api("GET", path)).body).toMatchObject({
    active: false,
    disabled_reason: "gone",
    health: "red",
  });
  expect((await service.fire(event))["deliveries"]).toEqual([]);

  receiver.status(200);
  const back = await service.api("POST", `${path}/toggle`);
  expect(back.body).toMatchObject({ active: true, disabled_reason: null, failing_since: null, health: "green" });
  await log.hurry();
  await log.in(waiting, "delivered");
});

test("five days of failures deactivate an endpoint, unless an attempt succeeds", async () => {
  const watcher = await subscribe(service, { more: { events: ["webhook.endpoint.disabled"] } });
  const { receiver, fire, path, endpoint } = await subscribe(service, { status: 500, more: SLOW });
  const failingFor = async (interval: string): Promise<unknown> =>
    await service.database.query("update endpoint set failing_since = now() - $1::interval where url = $2", [
      interval,
      receiver.url,
    ]);
  await failingFor("4 days 23 hours");
  const first = await fire();
  await log.attempted(first, 1);
  expect((await service.api("GET", path)).body).toMatchObject({ active: true, health: "red" });

  receiver.status(200);
  await log.in(await fire(), "delivered");
  expect((await service.api("GET", path)).body).toMatchObject({ failing_since: null, health: "green" });

  receiver.status(500);
  await failingFor("5 days 1 minute");
  const last = await fire();
  await service.until(path, (body) => body["active"] === false);
  expect((await service.api("GET", path)).body).toMatchObject({ disabled_reason: "failing_for_days", health: "red" });
  const [news] = await watcher.receiver.count(1);
  expect(JSON.parse(news?.body ?? "").data).toMatchObject({ endpoint_id: endpoint.id, reason: "failing_for_days" });
  expect(await log.get(last)).toMatchObject({ state: "pending" });
});
