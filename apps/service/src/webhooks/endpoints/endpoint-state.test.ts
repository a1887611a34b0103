import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { parseId } from "../../lib/lib.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

covers(
  "endpoint.state.deactivate",
  "toggling an active endpoint makes it inactive and stops new deliveries",
  async () => {
    const { path, event, receiver } = await subscribe(service);
    expect((await service.api("GET", path)).body["active"]).toBe(true);
    const toggled = await service.api("POST", `${path}/toggle`);
    expect(toggled.status).toBe(200);
    expect(toggled.body).toMatchObject({ active: false, disabled_reason: null });
    const fired = await service.fire(event);
    expect(fired["deliveries"]).toEqual([]);
    expect(receiver.received).toHaveLength(0);
  },
);

covers("endpoint.state.activate", "toggling an inactive endpoint makes it active again", async () => {
  const { path, fire, receiver } = await subscribe(service, { more: { active: false } });
  expect((await service.api("GET", path)).body["active"]).toBe(false);
  expect((await service.api("POST", `${path}/toggle`)).body["active"]).toBe(true);
  await fire();
  await receiver.count(1);
});

covers("endpoint.active.pause", "pending deliveries of a paused endpoint wait until it is active again", async () => {
  const { path, fire, receiver } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  await service.api("PATCH", path, { active: false });
  receiver.status(200);
  await log.hurry();
  // A delivery of another endpoint that was due later has been sent, so the paused one would have been sent before
  // it.
  const other = await subscribe(service);
  await other.fire();
  await other.receiver.count(1);
  expect(receiver.received).toHaveLength(1);
  expect(await log.get(id)).toMatchObject({ state: "pending", attempt_count: 1 });
  expect((await service.api("GET", path)).body).toMatchObject({ id: path.split("/").at(-1), active: false });

  await service.api("PATCH", path, { active: true });
  await log.in(id, "delivered");
  expect(receiver.received).toHaveLength(2);
});

covers("endpoint.active.pause", "a delivery that waits for a slot is not sent once its endpoint pauses", async () => {
  const { path, event, receiver } = await subscribe(service, { more: { max_in_flight: 1 } });
  let answerFirst: () => void = () => undefined;
  receiver.answer((response) => {
    answerFirst = () => response.writeHead(200).end();
  });
  const fired = await Promise.all([service.fire(event), service.fire(event), service.fire(event)]);
  await receiver.count(1);
  await service.api("POST", `${path}/toggle`);
  receiver.status(200);
  answerFirst();
  const ids = fired.map((one) => one["deliveries"][0].id as string);
  const states = async (): Promise<string[]> =>
    (await Promise.all(ids.map(async (id) => await log.get(id)))).map((one) => one["state"]).toSorted();
  await service.until(`/v1/deliveries?event=${event}&state=delivered`, (page) => page["data"].length === 1);
  expect(await states()).toEqual(["delivered", "pending", "pending"]);
  expect(receiver.received).toHaveLength(1);
  await service.api("POST", `${path}/toggle`);
  await receiver.count(3);
  await service.until(`/v1/deliveries?event=${event}&state=delivered`, (page) => page["data"].length === 3);
});

covers(
  ["deliver.state.cancelled", "deliver.log.kept"],
  "deleting an endpoint cancels its pending deliveries and keeps its log",
  async () => {
    const { path, fire, receiver, endpoint, event } = await subscribe(service);
    const done = await fire();
    await log.in(done, "delivered");
    receiver.status(500);
    const pending = await fire();
    await log.attempted(pending, 1);
    const deleted = await service.api("DELETE", path);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect(await log.get(pending)).toMatchObject({
      state: "cancelled",
      light: null,
      attempt_count: 1,
      next_attempt_at: null,
      last_status_code: 500,
    });
    await log.hurry();
    expect((await service.fire(event))["deliveries"]).toEqual([]);

    expect((await service.api("GET", path)).status).toBe(404);
    expect((await service.api("DELETE", path)).status).toBe(404);
    expect((await service.api("POST", `${path}/toggle`)).status).toBe(404);
    expect(await log.get(done)).toMatchObject({ state: "delivered", endpoint_id: endpoint.id });
    expect(await log.attempts(pending)).toHaveLength(1);
    const listed = await service.api("GET", `/v1/deliveries?endpoint_id=${endpoint.id}`);
    expect(listed.body["data"]).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  },
);

covers("deliver.state.cancelled", "an endpoint that is deleted during an attempt gets no further attempt", async () => {
  const quick = await startService({ on: service, env: SHORT_LADDER });
  try {
    const { path, fire, receiver } = await subscribe(quick);
    let refuse: () => void = () => undefined;
    receiver.answer((response) => {
      refuse = () => response.writeHead(500).end();
    });
    const id = await fire();
    await receiver.count(1);
    expect((await quick.api("DELETE", path)).status).toBe(204);
    refuse();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await log.get(id)).toMatchObject({ state: "cancelled", next_attempt_at: null });
    expect(receiver.received).toHaveLength(1);
  } finally {
    await quick.close();
  }
});

test("deleting an endpoint and writing its result do not deadlock", async () => {
  const { path, fire, endpoint } = await subscribe(service, { status: 500 });
  const [id, other] = [await fire(), await fire()];
  await Promise.all([log.attempted(id, 1), log.attempted(other, 1)]);
  // Locks in the order of a result's writer: first the delivery's row, then the endpoint's.
  const writer = new pg.Client({ connectionString: service.database.url });
  await writer.connect();
  try {
    await writer.query("begin");
    await writer.query("update pending_delivery set attempt_count = 2 where id = $1", [parseId(id)?.uuid]);
    const deleted = service.api("DELETE", path);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await writer.query("update endpoint set failing_since = now() where id = $1", [parseId(endpoint.id)?.uuid]);
    await writer.query("commit");
    expect((await deleted).status).toBe(204);
  } finally {
    await writer.end();
  }
  expect(await log.in(id, "cancelled")).toMatchObject({ attempt_count: 2 });
  expect(await log.get(other)).toMatchObject({ state: "cancelled", attempt_count: 1 });
});

test("a delivery that waits longer than its event is kept ends as cancelled", async () => {
  const { path, fire, receiver, endpoint, event } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  await service.api("POST", `${path}/toggle`);
  // Deletes the event like retention does.
  await service.database.query("delete from event where name = $1", [event]);
  await service.api("POST", `${path}/toggle`);
  await log.hurry();
  expect(await log.in(id, "cancelled")).toMatchObject({ attempt_count: 1, last_status_code: 500 });
  const news = await service.until("/v1/events?event=webhook.delivery.failed", (page) =>
    page["data"].some((one: Parsed) => one.data.delivery_id === id),
  );
  const failed = news["data"].find((one: Parsed) => one.data.delivery_id === id);
  expect(failed.data).toMatchObject({
    endpoint_id: endpoint.id,
    event,
    attempt_count: 1,
    error_class: "event_expired",
    failed_at: expect.stringMatching(/^20/),
  });
  expect(failed.data).not.toHaveProperty("last_status_code");
  expect(receiver.received).toHaveLength(1);
});

test("a delivery can be cancelled only while it is pending", async () => {
  const { fire, receiver } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  const cancelled = await service.api("POST", `/v1/deliveries/${id}/cancel`);
  expect(cancelled.status).toBe(200);
  expect(cancelled.body).toMatchObject({ id, state: "cancelled", light: null, next_attempt_at: null });
  expect(cancelled.body["completed_at"]).toEqual(expect.any(String));
  await log.hurry();
  const again = await service.api("POST", `/v1/deliveries/${id}/cancel`);
  expect([again.status, again.body["code"]]).toEqual([409, "conflict"]);
  receiver.status(200);
  const done = await fire();
  await log.in(done, "delivered");
  expect((await service.api("POST", `/v1/deliveries/${done}/cancel`)).body["code"]).toBe("conflict");
  expect(receiver.received).toHaveLength(2);
});

test("an endpoint's new URL and headers apply to pending deliveries", async () => {
  const { path, fire, receiver } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  receiver.status(200);
  await service.api("PATCH", path, { url: `${receiver.url}/moved`, headers: { "X-New": "1" }, description: "moved" });
  await log.hurry();
  await log.in(id, "delivered");
  expect(receiver.received[1]).toMatchObject({ path: "/hook/moved", headers: { "x-new": "1" } });
});

test("an endpoint's health is amber or red while it fails, otherwise green", async () => {
  const { path, fire, receiver } = await subscribe(service, { status: 500 });
  const health = async (): Promise<unknown> => (await service.api("GET", path)).body["health"];
  expect(await health()).toBe("green");
  const id = await fire();
  await log.attempted(id, 1);
  expect(await health()).toBe("amber");
  const since = (await service.api("GET", path)).body["failing_since"];
  expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000);
  await log.hurry();
  await log.attempted(id, 2);
  expect((await service.api("GET", path)).body["failing_since"]).toBe(since);
  await service.database.query(
    "update endpoint set failing_since = now() - interval '2 hours' where failing_since is not null",
  );
  expect(await health()).toBe("red");
  receiver.status(200);
  await log.hurry();
  await log.in(id, "delivered");
  expect((await service.api("GET", path)).body).toMatchObject({ health: "green", failing_since: null });
});
