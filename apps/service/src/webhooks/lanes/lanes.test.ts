import { afterAll, beforeAll, expect, test } from "vitest";
import { createMaintenance } from "../../platform/db/db.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { gauge } from "../../testing/metrics.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  // Two attempts, so that a failure is quick.
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "50ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const BY_ORDER = { ordering: { key: "$.data.order" } };

async function ordered(more: Record<string, unknown> = BY_ORDER): Promise<Subscription> {
  return await subscribe(service, { more });
}

/** Responds with 500 to events whose data has one of these numbers, and with 200 to others. */
function refuse(receiver: Receiver, ...numbers: number[]): void {
  receiver.answer((response, { body }) => {
    response.writeHead(numbers.includes(numberOf(body)) ? 500 : 200).end();
  });
}

function numberOf(body: string): number {
  return (JSON.parse(body) as { data: { n: number } }).data.n;
}

function sent(receiver: Receiver): number[] {
  return receiver.received.map(({ body }) => numberOf(body));
}

async function lanes({ path }: Subscription, query = ""): Promise<Parsed[]> {
  return (await service.api("GET", `${path}/lanes${query}`)).body["data"];
}

async function fireAll({ event }: Subscription, datas: readonly object[]): Promise<string[]> {
  const { body } = await service.api("POST", "/v1/events/batch", { events: datas.map((data) => ({ event, data })) });
  return (body["data"] as Parsed[]).map((fired) => fired["deliveries"][0].id as string);
}

const numbered = (count: number, order = "a"): object[] =>
  Array.from({ length: count }, (_, at) => ({ order, n: at + 1 }));

test("deliveries of a lane are sent one at a time, in order, and numbered", async () => {
  const one = await ordered();
  let open = 0;
  let most = 0;
  one.receiver.answer((response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(200).end();
    }, 5);
  });
  const ids = await fireAll(one, numbered(10));
  await one.receiver.count(10);
  expect(sent(one.receiver)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(most).toBe(1);
  expect(one.receiver.received.map(({ headers }) => headers["x-service-sequence"])).toEqual(
    Array.from({ length: 10 }, (_, at) => String(at + 1)),
  );
  expect(one.receiver.received[0]?.headers["x-service-ordering-key"]).toBe("%22a%22");
  const last = await log.in(String(ids[9]), "delivered");
  expect(last).toMatchObject({ sequence: 10, ordering_key: '"a"', blocked_by: null });
  expect(last["request"].headers).toMatchObject({ "X-Service-Sequence": "10", "X-Service-Ordering-Key": "%22a%22" });
  await expect.poll(async () => await lanes(one)).toEqual([]);
});

test("lanes do not wait for each other, nor events without a value", async () => {
  const one = await ordered();
  refuse(one.receiver, 1);
  const ids = await fireAll(one, [
    { order: "stuck", n: 1 },
    { order: "stuck", n: 2 },
    { order: "free", n: 3 },
    { order: null, n: 4 },
    { n: 5 },
    { order: ["stuck"], n: 6 },
  ]);
  await log.in(String(ids[0]), "failed");
  for (const id of ids.slice(2)) await log.in(id, "delivered");
  expect((await log.get(String(ids[3])))["sequence"]).toBeNull();
  const waiting = await log.get(String(ids[1]));
  expect(waiting).toMatchObject({ state: "pending", blocked_by: ids[0], next_attempt_at: null, attempt_count: 0 });
  expect(await lanes(one)).toMatchObject([
    {
      key: '"stuck"',
      waiting: 1,
      oldest_waiting_at: waiting["created_at"],
      head: {
        delivery_id: ids[0],
        state: "failed",
        attempt_count: 2,
        last_status_code: 500,
        last_error_class: "http_status",
        next_attempt_at: null,
      },
    },
  ]);
});

test("a retry holds its lane, and a blocked one is retried or skipped", async () => {
  const one = await ordered();
  refuse(one.receiver, 1);
  const ids = await fireAll(one, numbered(3));
  await log.in(String(ids[0]), "failed");
  expect(sent(one.receiver)).toEqual([1, 1]);
  const again = await service.api("POST", `${one.path}/lanes/retry`, { key: '"a"' });
  expect([again.status, again.body]).toEqual([202, { count: 1 }]);
  await one.receiver.count(3);
  await log.in(String(ids[0]), "failed");
  await expect.poll(async () => (await lanes(one, "?blocked=true"))[0]?.["head"].attempt_count).toBe(3);
  expect(await lanes(one, "?blocked=false")).toEqual([]);
  expect((await service.api("POST", `${one.path}/lanes/skip`, { key: '"a"' })).body).toEqual({ count: 1 });
  await log.in(String(ids[0]), "cancelled");
  await log.in(String(ids[2]), "delivered");
  expect(sent(one.receiver)).toEqual([1, 1, 1, 2, 3]);
  expect(one.receiver.received.map(({ headers }) => headers["x-service-sequence"])).toEqual(["1", "1", "1", "2", "3"]);
  const none = await service.api("POST", `${one.path}/lanes/retry`, { key: '"a"' });
  expect([none.status, none.body["code"]]).toEqual([404, "not_found"]);
});

test("replaying the delivery that blocks a lane retries it, also within a job", async () => {
  const one = await ordered();
  refuse(one.receiver, 1);
  const ids = await fireAll(one, numbered(2));
  await log.in(String(ids[0]), "failed");
  await expect.poll(async () => (await lanes(one))[0]?.["blocked_since"]).not.toBeNull();
  expect((await service.api("POST", `/v1/deliveries/${ids[0]}/replay`)).status).toBe(202);
  await log.in(String(ids[0]), "failed");
  await expect.poll(async () => (await lanes(one))[0]?.["blocked_since"]).not.toBeNull();
  expect(sent(one.receiver)).toEqual([1, 1, 1]);
  expect((await service.api("POST", `/v1/deliveries/${ids[1]}/replay`)).body["detail"]).toContain("lane");
  one.receiver.status(200);
  const range = { since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z" };
  expect((await service.api("POST", `${one.path}/replay-failed`, range)).body["count"]).toBe(1);
  await log.in(String(ids[1]), "delivered");
  expect(sent(one.receiver)).toEqual([1, 1, 1, 1, 2]);
});

test("with skip a lane continues, and a replay comes last with its number", async () => {
  const one = await ordered({ ordering: { key: "$.data.order", on_failed: "skip" } });
  refuse(one.receiver, 1);
  const ids = await fireAll(one, numbered(2));
  await log.in(String(ids[1]), "delivered");
  // Its failure holds nothing, although the endpoint blocks now.
  await service.api("PATCH", one.path, { ordering: { key: "$.data.order", on_failed: "block" } });
  await service.api("POST", `/v1/deliveries/${ids[0]}/replay`);
  await log.attempted(String(ids[0]), 3);
  await log.in(String(ids[0]), "failed");
  const [third] = await fireAll(one, [{ order: "a", n: 3 }]);
  await log.in(String(third), "delivered");
  expect(one.receiver.received.map(({ headers }) => headers["x-service-sequence"])).toEqual(["1", "1", "2", "1", "3"]);
});

test("a change to skip frees what is blocked, and no order does so too", async () => {
  for (const ordering of [{ key: "subject", on_failed: "skip" }, null]) {
    const one = await ordered();
    refuse(one.receiver, 1);
    const ids = await fireAll(one, [...numbered(2, "a"), ...numbered(2, "b")]);
    await log.in(String(ids[0]), "failed");
    await log.in(String(ids[2]), "failed");
    await expect.poll(async () => (await lanes(one, "?blocked=true")).length).toBe(2);
    expect((await service.api("PATCH", one.path, { ordering })).body["ordering"]).toEqual(ordering);
    await log.in(String(ids[1]), "delivered");
    await log.in(String(ids[3]), "delivered");
  }
});

test("all lanes are retried or skipped at once", async () => {
  const one = await ordered();
  one.receiver.status(500);
  const ids = await fireAll(
    one,
    ["a", "b", "c"].flatMap((order) => numbered(2, order)),
  );
  for (const at of [0, 2, 4]) await log.in(String(ids[at]), "failed");
  await expect.poll(async () => (await lanes(one, "?blocked=true")).length).toBe(3);
  expect((await service.api("POST", `${one.path}/lanes/retry`, { all: true })).body).toEqual({ count: 3 });
  for (const at of [0, 2, 4]) await log.attempted(String(ids[at]), 3);
  await expect.poll(async () => (await lanes(one, "?blocked=true")).length).toBe(3);
  one.receiver.status(200);
  expect((await service.api("POST", `${one.path}/lanes/skip`, { all: true })).body).toEqual({ count: 3 });
  for (const at of [1, 3, 5]) await log.in(String(ids[at]), "delivered");
});

test("metrics show how many lanes are blocked, and for how long", async () => {
  const blocked = async (): Promise<number> => Number(await gauge(service, "junction_blocked_lanes"));
  const before = await blocked();
  const one = await ordered();
  one.receiver.status(500);
  await fireAll(one, [...numbered(2, "a"), ...numbered(1, "b")]);
  await expect.poll(blocked).toBe(before + 2);
  await service.database.query("update lane set blocked_at = now() - interval '2 hours' where endpoint_id = $1", [
    uuidOf(one.endpoint.id),
  ]);
  expect(Number(await gauge(service, "junction_blocked_lane_age_seconds"))).toBeGreaterThan(7199);
  one.receiver.status(200);
  await service.api("POST", `${one.path}/lanes/skip`, { all: true });
  await expect.poll(blocked).toBe(before);
});

test("a key of another tenant neither sees nor retries nor skips a lane", async () => {
  const one = await ordered({ ...BY_ORDER, tenant: "acme" });
  one.receiver.status(500);
  const fired = await service.api("POST", "/v1/events/fire", {
    event: one.event,
    tenant: "acme",
    data: { order: "a" },
  });
  await log.in(fired.body["deliveries"][0].id as string, "failed");
  const [own, other] = [await mintKey(service, { tenant: "acme" }), await mintKey(service, { tenant: "other" })];
  const listed = async (key: string) => await service.api("GET", `${one.path}/lanes`, undefined, { key });
  expect([(await listed(other.key)).status, (await listed(own.key)).body["data"].length]).toEqual([404, 1]);
  for (const choice of [{ key: '"a"' }, { all: true }])
    for (const what of ["retry", "skip"]) {
      const answer = await service.api("POST", `${one.path}/lanes/${what}`, choice, { key: other.key });
      expect([what, answer.status]).toEqual([what, 404]);
    }
  const skipped = await service.api("POST", `${one.path}/lanes/skip`, { key: '"a"' }, { key: own.key });
  expect(skipped.body).toEqual({ count: 1 });
});

test("a delivery that is being sent is neither skipped nor cancelled", async () => {
  const one = await ordered();
  let answer: () => void = () => undefined;
  one.receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  const ids = await fireAll(one, numbered(3));
  await one.receiver.count(1);
  for (const [path, body] of [
    [`/v1/deliveries/${ids[0]}/cancel`, undefined],
    [`${one.path}/lanes/skip`, { key: '"a"' }],
    [`${one.path}/lanes/retry`, { key: '"a"' }],
  ] as const) {
    const refused = await service.api("POST", path, body);
    expect([path, refused.status, refused.body["code"]]).toEqual([path, 409, "conflict"]);
  }
  // One that waits can be cancelled, and leaves a gap.
  expect((await service.api("POST", `/v1/deliveries/${ids[1]}/cancel`)).body["state"]).toBe("cancelled");
  one.receiver.status(200);
  answer();
  await log.in(String(ids[2]), "delivered");
  expect(sent(one.receiver)).toEqual([1, 3]);
  expect(one.receiver.received[1]?.headers["x-service-sequence"]).toBe("3");
});

test("410 disables the endpoint, and its lane waits for a retry", async () => {
  const one = await ordered();
  one.receiver.status(410);
  const ids = await fireAll(one, numbered(2));
  await log.in(String(ids[0]), "failed");
  await service.until(one.path, (body) => body["active"] === false);
  const refused = await service.api("POST", `${one.path}/lanes/retry`, { key: '"a"' });
  expect([refused.status, refused.body["code"]]).toEqual([409, "conflict"]);
  one.receiver.status(200);
  await service.api("POST", `${one.path}/toggle`);
  await expect.poll(async () => (await lanes(one))[0]?.["head"].delivery_id).toBe(ids[0]);
  await service.api("POST", `${one.path}/lanes/retry`, { key: '"a"' });
  await log.in(String(ids[1]), "delivered");
  expect(sent(one.receiver)).toEqual([1, 1, 2]);
});

test("the deletion of an endpoint cancels what waits in its lanes", async () => {
  const one = await ordered();
  one.receiver.status(500);
  const ids = await fireAll(one, numbered(3));
  await log.in(String(ids[0]), "failed");
  await service.api("DELETE", one.path);
  for (const id of ids.slice(1)) await log.in(id, "cancelled");
});

test("a backfill enters the lanes last, with new numbers", async () => {
  const one = await ordered({ ...BY_ORDER, active: false });
  await service.api("POST", "/v1/events/batch", {
    events: numbered(3).map((data) => ({ event: one.event, data })),
  });
  await service.api("POST", `${one.path}/toggle`);
  const [live] = await fireAll(one, [{ order: "a", n: 9 }]);
  await log.in(String(live), "delivered");
  const filled = await service.api("POST", `${one.path}/backfill`, { from: "2020-01-01T00:00:00Z" });
  expect(filled.body["count"]).toBe(3);
  await one.receiver.count(4);
  expect(sent(one.receiver)).toEqual([9, 1, 2, 3]);
  expect(one.receiver.received.map(({ headers }) => headers["x-service-sequence"])).toEqual(["1", "2", "3", "4"]);
});

test("a key that the endpoint cannot have is refused at its place", async () => {
  const one = await ordered();
  for (const ordering of [{ key: "data.order" }, { key: "$.contact.email" }, { key: "$..a" }]) {
    const refused = await service.api("PATCH", one.path, { ordering });
    expect([refused.status, refused.body["errors"]]).toMatchObject([422, [{ pointer: "/ordering/key" }]]);
  }
  for (const ordering of [{}, { key: "subject", on_failed: "stop" }, { key: "subject", more: 1 }, "subject"])
    expect((await service.api("PATCH", one.path, { ordering })).status).toBe(422);
  expect((await service.api("POST", `${one.path}/lanes/skip`, { key: '"a"', all: true })).status).toBe(422);
  expect((await service.api("GET", one.path)).body["ordering"]).toEqual({ key: "$.data.order", on_failed: "block" });
});

test("lanes are listed in pages by their keys", async () => {
  const one = await ordered();
  one.receiver.status(500);
  await fireAll(
    one,
    ["c", "a", "b"].map((order) => ({ order, n: 1 })),
  );
  await expect.poll(async () => (await lanes(one)).length).toBe(3);
  const first = (await service.api("GET", `${one.path}/lanes?limit=2`)).body;
  expect(first["data"].map(({ key }: Parsed) => key)).toEqual(['"a"', '"b"']);
  const next = (await service.api("GET", `${one.path}/lanes?limit=2&cursor=${first["next_cursor"]}`)).body;
  expect(next["data"].map(({ key }: Parsed) => key)).toEqual(['"c"']);
  expect(next["has_more"]).toBe(false);
});

test("a lane that has held nothing for the time of retention begins again", async () => {
  const one = await ordered();
  const [first] = await fireAll(one, numbered(1));
  await log.in(String(first), "delivered");
  await expect.poll(async () => await lanes(one)).toEqual([]);
  await service.database.query("update lane set used_at = now() - interval '31 days' where head_id is null");
  const quiet = { info: () => undefined, warn: () => undefined };
  const maintenance = createMaintenance({ db: service.service.db, log: quiet, retentionDays: 30 });
  await maintenance.start();
  await maintenance.stop();
  const [second] = await fireAll(one, numbered(1));
  expect(await log.in(String(second), "delivered")).toMatchObject({ sequence: 1 });
});
