import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "20ms,20ms,20ms,20ms,20ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const replay = async (id: string): Promise<ApiAnswer> => await service.api("POST", `/v1/deliveries/${id}/replay`);

/** Returns a delivery that failed after six attempts, with its endpoint, whose receiver still responds with 500. */
async function parked(): Promise<Subscription & { id: string }> {
  const subscription = await subscribe(service, { status: 500 });
  const id = await subscription.fire();
  await log.in(id, "failed");
  return { ...subscription, id };
}

covers(
  ["replay.manual.failed", "replay.manual.one-click", "replay.manual.same-id"],
  "one call replays a failed delivery with its id and the next number",
  async () => {
    const { id, receiver } = await parked();
    receiver.status(200);
    const answer = await replay(id);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      id,
      object: "delivery",
      state: "pending",
      attempt_count: 6,
      completed_at: null,
    });
    expect(await log.in(id, "delivered")).toMatchObject({ light: "green", attempt_count: 7, last_status_code: 200 });
    const received = await receiver.count(7);
    expect(new Set(received.map(({ headers }) => headers["x-service-delivery"]))).toEqual(new Set([id]));
    expect(new Set(received.map(({ headers }) => headers["x-service-idempotency"])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect((await log.attempts(id)).at(-1)).toMatchObject({ number: 7, trigger: "replay", status_code: 200 });
  },
);

covers("replay.manual.failed", "a replay that fails leaves the delivery failed and schedules nothing", async () => {
  const { id, receiver } = await parked();
  expect((await replay(id)).status).toBe(202);
  expect(await log.attempted(id, 7)).toMatchObject({ state: "failed", light: "red", next_attempt_at: null });
  await log.hurry();
  expect((await replay(id)).status).toBe(202);
  expect(await log.attempted(id, 8)).toMatchObject({ state: "failed", light: "red" });
  expect(receiver.received).toHaveLength(8);
  const triggers = (await log.attempts(id)).map((one) => one["trigger"]);
  expect(triggers).toEqual([...Array.from({ length: 6 }, () => "ladder"), "replay", "replay"]);
});

covers("replay.manual.same-id", "a delivered delivery can be replayed and stays delivered for any result", async () => {
  const { receiver, fire } = await subscribe(service);
  const id = await fire();
  await log.in(id, "delivered");
  expect((await replay(id)).status).toBe(202);
  expect(await log.attempted(id, 2)).toMatchObject({ state: "delivered", light: "green", last_status_code: 200 });
  receiver.status(500);
  expect((await replay(id)).status).toBe(202);
  expect(await log.attempted(id, 3)).toMatchObject({ state: "delivered", light: "green", next_attempt_at: null });
  expect((await log.attempts(id)).map((one) => one["status_code"])).toEqual([200, 200, 500]);
  expect(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"]))).toEqual(new Set([id]));
});

test("a delivery that failed with 410 can be replayed after reactivation", async () => {
  const { receiver, fire, path } = await subscribe(service, { status: 410 });
  const id = await fire();
  await log.in(id, "failed");
  await service.until(path, (body) => body["active"] === false);
  expect((await replay(id)).body["code"]).toBe("conflict");
  await service.api("POST", `${path}/toggle`);
  receiver.status(200);
  expect((await replay(id)).status).toBe(202);
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
});

test("a delivery whose attempt is running, or whose endpoint is inactive, is not replayed", async () => {
  const refused = async (id: string): Promise<unknown[]> => {
    const { status, body } = await replay(id);
    return [status, body["code"], body["retryable"]];
  };
  const conflict = [409, "conflict", false];
  const { id, path, receiver, fire } = await parked();
  await service.api("POST", `${path}/toggle`);
  expect(await refused(id)).toEqual(conflict);
  await service.api("POST", `${path}/toggle`);

  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const pending = await fire();
  await receiver.count(7);
  expect(await refused(pending)).toEqual(conflict);
  await service.api("POST", `/v1/deliveries/${pending}/cancel`);
  // The attempt that was running at that moment still is.
  expect(await refused(pending)).toEqual(conflict);
  expect((await service.api("POST", "/v1/replays", { delivery_ids: [pending], dry_run: true })).body).toMatchObject({
    count: 0,
  });
  answer();
  await expect.poll(async () => (await replay(pending)).status).toBe(202);
  await receiver.count(8);
  answer();
  expect(await log.in(pending, "delivered")).toMatchObject({ attempt_count: 1 });

  await service.api("DELETE", path);
  expect(await refused(id)).toEqual(conflict);
  expect(await log.get(id)).toMatchObject({ state: "failed", attempt_count: 6 });
});

test("a cancelled delivery can be replayed, and is cancelled again if that fails", async () => {
  const slow = await startService({ on: service, env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "1h,1h" } });
  try {
    const { fire, receiver } = await subscribe(slow, { status: 500 });
    const id = await fire();
    await log.attempted(id, 1);
    await slow.api("POST", `/v1/deliveries/${id}/cancel`);
    expect((await replay(id)).status).toBe(202);
    expect(await log.attempted(id, 2)).toMatchObject({ state: "cancelled", light: null, next_attempt_at: null });
    receiver.status(200);
    expect((await replay(id)).status).toBe(202);
    expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 3 });
    expect((await log.attempts(id)).map((one) => one["trigger"])).toEqual(["ladder", "replay", "replay"]);
  } finally {
    await slow.close();
  }
});

test("one of two concurrent replays makes an attempt, and the other gets 409", async () => {
  const { id, receiver } = await parked();
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await replay(id)));
  // The receiver answers only after all calls were refused, because a delivered delivery can be replayed again.
  await receiver.count(7);
  answer();
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body["code"] === "conflict")).toHaveLength(7);
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 7 });
  expect(receiver.received).toHaveLength(7);
});

test("more concurrent replays than database connections all succeed", async () => {
  const { receiver, event, path } = await subscribe(service, { status: 500 });
  const batch = { events: Array.from({ length: 40 }, () => ({ event, data: {} })) };
  await service.api("POST", "/v1/events/batch", batch);
  const failed = `/v1/deliveries?event=${event}&state=failed&limit=100`;
  const { data } = await service.until(failed, (page) => page["data"].length === 40);
  receiver.status(200);
  const answers = await Promise.all(data.map(async (one: { id: string }) => await replay(one.id)));
  expect(answers.map(({ status }) => status)).toEqual(data.map(() => 202));
  await receiver.count(6 * 40 + 40);
  await service.until(`/v1/deliveries?event=${event}&state=delivered&limit=100`, (page) => page["data"].length === 40);
  expect((await service.api("GET", `${path}/stats`)).body).toMatchObject({ delivered: 40, failed: 0, pending: 0 });
});

test("the replay of a pending delivery is its retry, from which the schedule continues", async () => {
  // No other node, which would have another schedule, claims its deliveries.
  const slow = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "1h,2h" } });
  const slowLog = deliveryLog(slow);
  const sendNow = async (id: string): Promise<ApiAnswer> => await slow.api("POST", `/v1/deliveries/${id}/replay`);
  try {
    const { fire, receiver, path } = await subscribe(slow, { status: 500 });
    const id = await fire();
    await slowLog.attempted(id, 1);
    await slow.api("POST", `${path}/toggle`);
    expect((await sendNow(id)).body["code"]).toBe("conflict");
    await slow.api("POST", `${path}/toggle`);
    let answer: () => void = () => undefined;
    receiver.answer((response) => {
      answer = () => response.writeHead(500).end();
    });
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await sendNow(id)));
    await receiver.count(2);
    expect(await sendNow(id)).toMatchObject({ status: 409, body: { code: "conflict" } });
    answer();
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(answers.find(({ status }) => status === 202)?.body).toMatchObject({ id, state: "pending", light: "amber" });
    const waiting = await slowLog.attempted(id, 2);
    expect(Date.parse(waiting["next_attempt_at"])).toBeGreaterThan(Date.now() + 1.9 * 3_600_000);
    receiver.status(500);
    expect((await sendNow(id)).status).toBe(202);
    // The schedule has no wait after the third attempt.
    expect(await slowLog.in(id, "failed")).toMatchObject({ attempt_count: 3 });
    expect((await slowLog.attempts(id)).map((one) => one["trigger"])).toEqual(["ladder", "ladder", "ladder"]);
  } finally {
    await slow.close();
  }
});

test("a waiting replay keeps waiting while its endpoint is inactive", async () => {
  const { id, path, receiver } = await parked();
  receiver.status(200);
  const paced = async (until: string): Promise<unknown> =>
    await service.database.query("update endpoint set paced_until = now() + $2::interval where url = $1", [
      receiver.url,
      until,
    ]);
  await paced("1 hour");
  await replay(id);
  await service.api("PATCH", path, { active: false });
  await paced("-1 hour");
  await log.hurry();
  // A delivery that becomes due later has been sent, so that the worker has passed this one.
  const later = await subscribe(service);
  await log.in(await later.fire(), "delivered");
  expect(await log.get(id)).toMatchObject({ state: "pending", attempt_count: 6 });
  await service.api("PATCH", path, { active: true });
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 7 });
  expect((await log.attempts(id)).at(-1)).toMatchObject({ trigger: "replay" });
});

test("a replay that fails does not count toward deactivating its endpoint", async () => {
  const { id, path, receiver } = await parked();
  await service.database.query(
    "update endpoint set failing_since = now() - interval '4 days 23 hours' where url = $1",
    [receiver.url],
  );
  const before = (await service.api("GET", path)).body;
  for (const attempt of [7, 8, 9]) {
    await replay(id);
    await log.attempted(id, attempt);
  }
  expect((await service.api("GET", path)).body).toEqual(before);
  expect(before).toMatchObject({ active: true, health: "red" });
});
