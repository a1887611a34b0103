import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { recordResults } from "./result.store.ts";
import type { ResultRow } from "./result.store.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const notify = async (): Promise<unknown> => await service.database.query("select pg_notify('junction_due', '')");

/** Leases a delivery to another node until the given time from now. */
async function leaseToOther(deliveryId: string, until: string): Promise<void> {
  const uuid = parseId(deliveryId)?.uuid;
  const rows = await service.database.query(
    "update pending_delivery set lease_id = $1, due_at = now() + $2::interval where id = $3 returning id",
    [randomUUID(), until, uuid],
  );
  expect(rows).toHaveLength(1);
  await notify();
}

test("two nodes on one database never make the same attempt twice, under retries", async () => {
  const [first, second] = await Promise.all([
    startService({ on: service, env: SHORT_LADDER }),
    startService({ on: service, env: SHORT_LADDER }),
  ]);
  try {
    const { receiver, event } = await subscribe(service, { more: { max_in_flight: 64 } });
    const tries = new Map<string, number>();
    receiver.answer((response, { headers }) => {
      const id = String(headers["x-service-delivery"]);
      const nth = (tries.get(id) ?? 0) + 1;
      tries.set(id, nth);
      // A third of the deliveries succeeds on the first attempt, a third on the second, a third on the third.
      const needed = 1 + ((id.codePointAt(id.length - 1) ?? 0) % 3);
      response.writeHead(nth < needed ? 500 : 200).end();
    });
    const batch = { events: Array.from({ length: 50 }, () => ({ event, data: {} })) };
    await Promise.all(
      Array.from(
        { length: 6 },
        async (_, nth) => await (nth % 2 === 0 ? first : second).api("POST", "/v1/events/batch", batch),
      ),
    );
    const counts = async (): Promise<{ id: Uuid; tag: Tag; attempt_count: number }[]> =>
      await service.database.query(
        "select id, tag, attempt_count from delivery where event_name = $1 and state = 'delivered'",
        [event],
      );
    await expect.poll(async () => (await counts()).length).toBe(300);
    const logged = await counts();
    expect(tries.size).toBe(300);
    const sent = new Map([...tries].map(([id, nth]) => [parseId(id)?.uuid, nth]));
    for (const { id, attempt_count } of logged) expect([id, attempt_count]).toEqual([id, sent.get(id)]);
    const total = [...tries.values()].reduce((sum, nth) => sum + nth, 0);
    const [rows] = await service.database.query<{ n: number; least: number }>(
      "select count(*)::int as n, min(number)::int as least from attempt where delivery_id = any($1)",
      [logged.map(({ id }) => id)],
    );
    expect(rows).toEqual({ n: total, least: 1 });
    expect(receiver.received).toHaveLength(total);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test("a delivery of a stopped node is taken over after its lease expires", async () => {
  const { fire, receiver } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  receiver.status(200);
  // Before the statement, whose response may come later than 50 ms after the lease began.
  const leasedAt = Date.now();
  await leaseToOther(id, "600 milliseconds");
  await log.hurry();
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
  expect(receiver.received[1]?.at ?? 0).toBeGreaterThanOrEqual(leasedAt + 550);
  expect(receiver.received).toHaveLength(2);
});

test("another node sends a delivery that a killed node never sent", async () => {
  const { fire, receiver, path } = await subscribe(service);
  // Represents a node that was killed right after it created the delivery: only the lease is left.
  await service.api("PATCH", path, { max_in_flight: 1 });
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const first = await fire();
  await receiver.count(1);
  const second = await fire();
  await leaseToOther(second, "-1 second");
  receiver.status(200);
  answer();
  await log.in(first, "delivered");
  expect(await log.in(second, "delivered")).toMatchObject({ attempt_count: 1 });
});

test("a delivery claimed again while its node holds it is sent at once", async () => {
  const { fire, receiver } = await subscribe(service);
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const id = await fire();
  await receiver.count(1);
  receiver.status(200);
  await leaseToOther(id, "10 minutes");
  const uuid = parseId(id)?.uuid;
  const blocker = new pg.Client({ connectionString: service.database.url });
  await blocker.connect();
  // The attempt updates this table, in which the delivery is not yet, after its result has found the lease of another node.
  await blocker.query(
    `select pg_advisory_lock(1);
     create function wait_for_blocker() returns trigger language plpgsql as $$ begin
       perform pg_advisory_xact_lock(1); return null; end $$;
     create trigger wait_for_blocker before update on delivery for each statement execute function wait_for_blocker()`,
  );
  answer();
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await service.database.query(waiting)).length).toBe(1);
  await leaseToOther(id, "-1 second");
  const claimed = "select from pending_delivery where id = $1 and due_at > now()";
  await expect.poll(async () => (await service.database.query(claimed, [uuid])).length).toBe(1);
  await blocker.end();
  await service.until(`/v1/deliveries/${id}`, ({ state }) => state === "delivered", 20_000);
  expect(receiver.received).toHaveLength(2);
  await service.database.query("drop trigger wait_for_blocker on delivery");
});

test("the late result of a worker whose delivery was taken over changes nothing", async () => {
  const { fire, receiver } = await subscribe(service);
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(410).end();
  });
  const id = await fire();
  await receiver.count(1);
  await leaseToOther(id, "10 minutes");
  answer();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await log.get(id)).toMatchObject({ state: "pending", attempt_count: 0, light: null });
  expect(await log.attempts(id)).toEqual([]);
  receiver.status(200);
  await leaseToOther(id, "0");
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
});

test("a result with a wrong lease or attempt number changes nothing", async () => {
  const { fire, receiver, path, endpoint } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  await leaseToOther(id, "10 minutes");
  const before = await log.get(id);
  const health = (await service.api("GET", path)).body;
  expect(health["health"]).toBe("amber");
  const [lease] = await service.database.query<{ lease_id: Uuid; bucket: number }>(
    "select lease_id, bucket from pending_delivery where id = $1",
    [parseId(id)?.uuid],
  );
  const late = (number: number, state: ResultRow["state"]): ResultRow => ({
    bucket: lease?.bucket ?? 0,
    tag: parseId(id)?.tag ?? ("" as Tag),
    deliveryId: parseId(id)?.uuid ?? ("" as Uuid),
    endpointId: parseId(endpoint.id)?.uuid ?? ("" as Uuid),
    number,
    trigger: "ladder",
    state,
    waitMs: 0,
    attempt: {
      id: randomUUID() as Uuid,
      startedAt: new Date(),
      statusCode: 200,
      errorClass: null,
      errorDetail: null,
      latency: [0, 0, 0, 0, 0],
      resolvedIp: null,
      responseHeaders: null,
      responseSnippet: null,
      responseTruncated: false,
      requestTimestamp: 0,
    },
    healthy: true,
    news: null,
    awaited: false,
  });
  const stale = randomUUID() as Uuid;
  const wrong: readonly (readonly [Uuid, ResultRow])[] = [
    [stale, late(2, "delivered")],
    [stale, late(2, null)],
    [stale, late(2, "failed")],
    [lease?.lease_id ?? stale, late(1, "delivered")],
    [lease?.lease_id ?? stale, late(3, null)],
  ];
  for (const [leaseId, row] of wrong) {
    const { db } = service.service;
    expect(await db.at(row.bucket, async () => await recordResults(db, leaseId, [row]))).toEqual([false]);
  }
  expect(await log.get(id)).toEqual(before);
  expect(await log.attempts(id)).toHaveLength(1);
  expect((await service.api("GET", path)).body).toEqual(health);
  expect(receiver.received).toHaveLength(1);
});

test("another node sends what a stopped node left, without counting an attempt", async () => {
  const going = await startService({ on: service, env: UNLIMITED });
  const { receiver, event } = await subscribe(service, { more: { max_in_flight: 1 } });
  let answer: () => void = () => undefined;
  receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const batch = { events: Array.from({ length: 5 }, () => ({ event, data: {} })) };
  await going.api("POST", "/v1/events/batch", batch);
  await receiver.count(1);
  const stopped = going.close();
  receiver.status(200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  answer();
  await stopped;
  // The requests must arrive sooner than the next poll of an idle node.
  await receiver.count(5, 15_000);
  const page = await service.until(
    `/v1/deliveries?event=${event}&state=delivered`,
    (body) => body["data"].length === 5,
  );
  expect(page["data"].map((one: { attempt_count: number }) => one.attempt_count)).toEqual([1, 1, 1, 1, 1]);
});

test("a node continues after its database connections are cut", async () => {
  const { fire, receiver } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  receiver.status(200);
  await service.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'junction%'",
  );
  await service.database.query("update pending_delivery set due_at = now() where lease_id is null");
  // The request must arrive sooner than the next poll of an idle node.
  await receiver.count(2, 15_000);
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
});
