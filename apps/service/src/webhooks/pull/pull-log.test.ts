import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMaintenance } from "../../platform/db/db.ts";
import { uuidOf } from "../../testing/keys.ts";
import { gauge } from "../../testing/metrics.ts";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
let release: () => void = () => undefined;
const HELD = "pull.held";

beforeAll(async () => {
  const subscribers = [
    {
      kind: "rule" as const,
      match: ({ name }: { readonly name: string }) =>
        name === HELD ? [{ kind: "rule" as const, key: "hold", priority: 40 }] : [],
      react: async () => await new Promise<void>((resolve) => (release = resolve)),
    },
  ];
  const env = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "100ms,1h", JUNCTION_STAGE_WAIT: "10s" };
  service = await startService({ env, provides: { subscribers } });
  twin = await startService({ on: service, env, provides: { subscribers } });
});
afterAll(async () => {
  release();
  await twin.close();
  await service.close();
});

/** Returns the lag of a consumer that commits nothing. */
async function lagOf(endpoint: PullEndpoint, consumer: string): Promise<unknown> {
  await endpoint.pull({ consumer });
  const { body } = await service.api("GET", `${endpoint.path}/consumers?limit=100`);
  return (body["data"] as Parsed[]).find((one) => one["consumer"] === consumer)?.["lag"];
}

const range = (count: number, from = 0): { n: number }[] =>
  Array.from({ length: count }, (_, at) => ({ n: from + at }));

test("a message that earlier stages hold is waited for by those after it", async () => {
  const endpoint = await pullEndpoint(service, { events: [HELD, "pull.free"] });
  await service.fire("pull.free", { n: 1 });
  await service.fire(HELD, { n: 2 });
  await service.fire("pull.free", { n: 3 });
  expect(numbersIn(await endpoint.pull({ consumer: "a" }))).toEqual([1]);
  const waiting = endpoint.pull({ consumer: "b", start: "end", wait_seconds: 10 });
  await sleep(100);
  release();
  expect(numbersIn(await waiting)).toContain(2);
  await expect.poll(async () => await endpoint.drain()).toEqual([1, 2, 3]);
});

test("filtered events get no offset, and the rest stay dense", async () => {
  const endpoint = await pullEndpoint(service, { filter: { field: "data.n", op: "gte", value: 2 } });
  await endpoint.fire(...range(5));
  const pulled = await endpoint.pull();
  expect([numbersIn(pulled), offsetsIn(pulled)]).toEqual([
    [2, 3, 4],
    [1, 2, 3],
  ]);
});

test("a failed transformation is tried again and gets its offset later", async () => {
  const failing =
    "export function transform(event) { if (event.data.x) throw new Error('no'); return { body: { data: event.data } }; }";
  const transform = { kind: "script", source: failing };
  const endpoint = await pullEndpoint(service, { transform });
  const [id] = await endpoint.fire({ x: 1, n: 1 }, { n: 2 });
  const pulled = await endpoint.pull({ wait_seconds: 20 });
  expect([numbersIn(pulled), offsetsIn(pulled)]).toEqual([[2], [1]]);
  const shown = await service.until(`/v1/deliveries/${id}`, ({ attempt_count: count }) => count === 2);
  expect(shown).toMatchObject({ state: "pending", last_error_class: "transform" });
  const health = (await service.api("GET", endpoint.path)).body;
  expect(health).toMatchObject({ health: "green", failing_since: null });
  await service.api("PATCH", endpoint.path, { transform: null });
  expect((await service.api("POST", `/v1/deliveries/${id}/replay`)).status).toBe(202);
  await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
  const late = await endpoint.pull({ wait_seconds: 20 });
  expect([numbersIn(late), offsetsIn(late)]).toEqual([[1], [2]]);
});

test("offsets are in the order of commits while a transaction is slow", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  await endpoint.drain("warm");
  const slow = new pg.Client({ connectionString: service.database.url });
  await slow.connect();
  await slow.query("begin");
  // A delivery of the same event that is committed later, in an older transaction.
  await slow.query(
    `insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, due_at, next_attempt_at, xact)
     select bucket, tag, overlay(uuid_floor(now())::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid, event_id, event_name, endpoint_id, now(), now(), pg_current_xact_id() from pull_message where endpoint_id = $1`,
    [uuidOf(endpoint.id)],
  );
  await endpoint.fire({ n: 2 });
  const before = await endpoint.pull();
  expect(numbersIn(before)).toEqual([1, 2]);
  await slow.query("commit");
  await slow.end();
  await endpoint.fire({ n: 3 });
  await endpoint.call("release", { consumer: "c", lease_id: leaseIn(before) });
  await expect.poll(async () => await lagOf(endpoint, "none")).toBe(4);
  expect(numbersIn(await endpoint.pull())).toEqual([1, 2, 1, 3]);
});

test("writers of two nodes give dense offsets, and each in its own order", async () => {
  const endpoint = await pullEndpoint(service);
  const writers = 8;
  const each = 15;
  let isDone = false;
  const seen: number[] = [];
  const reading = (async () => {
    for (let next = 1; !isDone || seen.length < writers * each;) {
      const pulled = await endpoint.pull({ limit: 7, wait_seconds: 1 });
      if (pulled.body["lease"] === null) continue;
      for (const offset of offsetsIn(pulled)) {
        expect(offset).toBe(next);
        next += 1;
      }
      seen.push(...(numbersIn(pulled) as number[]));
      await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
    }
  })();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const on = writer % 2 === 0 ? service : twin;
      for (let n = 0; n < each; n += 1) await on.fire(endpoint.event, { n: writer * 1000 + n });
    }),
  );
  isDone = true;
  await reading;
  for (let writer = 0; writer < writers; writer += 1) {
    const own = seen.filter((n) => Math.floor(n / 1000) === writer);
    expect(own).toEqual(range(each, writer * 1000).map(({ n }) => n));
  }
});

test("a pull that waits on another node gets the next message at once", async () => {
  const endpoint = await pullEndpoint(service);
  const waiting = twin.api("POST", `${endpoint.path}/pull`, { consumer: "c", wait_seconds: 20 });
  await sleep(300);
  const since = performance.now();
  await endpoint.fire({ n: 1 });
  expect(numbersIn(await waiting)).toEqual([1]);
  expect(performance.now() - since).toBeLessThan(5000);
});

test("an erased event keeps its offset with a null body", async () => {
  const endpoint = await pullEndpoint(service);
  const [id] = await endpoint.fire(...range(2));
  await endpoint.drain("other");
  await service.database.query("delete from event where id = (select event_id from delivery where id = $1)", [
    uuidOf(id ?? ""),
  ]);
  const pulled = await endpoint.pull();
  expect(pulled.body["messages"]).toMatchObject([
    { offset: 1, delivery_id: id, headers: {}, body: null },
    { offset: 2 },
  ]);
});

test("a consumer behind retention moves to the oldest message, and sees it once", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.pull();
  await endpoint.fire(...range(5));
  await endpoint.drain("other");
  await service.database.query(
    "update pull_message set at = now() - interval '31 days' where endpoint_id = $1 and pull_offset <= 3",
    [uuidOf(endpoint.id)],
  );
  const maintenance = createMaintenance({
    db: service.service.db,
    log: { info: () => undefined, warn: () => undefined },
    retentionDays: 30,
  });
  await maintenance.start();
  await maintenance.stop();
  const left = await service.database.query(
    "select pull_offset::int from pull_message where endpoint_id = $1 order by 1",
    [uuidOf(endpoint.id)],
  );
  expect(left).toEqual([{ pull_offset: 4 }, { pull_offset: 5 }]);
  const list = await service.api("GET", `${endpoint.path}/consumers`);
  expect(list.body["data"]).toMatchObject([
    { consumer: "c", position: 4, lag: 2 },
    { consumer: "other", position: 6 },
  ]);
  const key = { headers: { "Idempotency-Key": "behind" } };
  const pulled = await endpoint.pull({}, key);
  expect([offsetsIn(pulled), pulled.body["position"], pulled.body["skipped"]]).toEqual([[4, 5], 4, 3]);
  expect((await endpoint.pull({}, key)).body["skipped"]).toBe(3);
  await endpoint.call("release", { consumer: "c", lease_id: leaseIn(pulled) });
  expect((await endpoint.pull()).body).not.toHaveProperty("skipped");
  expect((await endpoint.call("seek", { consumer: "c", to: { offset: 1 } })).status).toBe(204);
  expect((await endpoint.pull()).body).toMatchObject({ position: 4, skipped: 3 });
});

test("a pull whose client has gone takes no lease", async () => {
  const endpoint = await pullEndpoint(service);
  const client = new AbortController();
  const waiting = fetch(`${service.baseUrl}${endpoint.path}/pull`, {
    method: "POST",
    headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ consumer: "c", wait_seconds: 20 }),
    signal: client.signal,
  });
  await expect.poll(async () => await gauge(service, "junction_waiting_pulls")).toBe("1");
  client.abort();
  await expect(waiting).rejects.toThrow();
  await expect.poll(async () => await gauge(service, "junction_waiting_pulls")).toBe("0");
  await endpoint.fire({ n: 1 });
  await sleep(100);
  expect(numbersIn(await endpoint.pull())).toEqual([1]);
});

test("a lease that ended admits another pull; its commit counts until then", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire(...range(3));
  const expire = async (): Promise<unknown> =>
    await service.database.query(
      "update pull_consumer set lease_expires_at = now() - interval '1 s' where endpoint_id = $1",
      [uuidOf(endpoint.id)],
    );
  const first = leaseIn(await endpoint.pull());
  await expire();
  expect((await endpoint.call("commit", { consumer: "c", lease_id: first, offset: 1 })).status).toBe(204);
  const list = await service.api("GET", `${endpoint.path}/consumers`);
  expect(list.body["data"][0]["lease_expires_at"]).toEqual(expect.any(String));
  await expire();
  const second = await endpoint.pull();
  expect(numbersIn(second)).toEqual([1, 2]);
  expect((await endpoint.call("commit", { consumer: "c", lease_id: first, offset: 2 })).body["code"]).toBe(
    "lease_lost",
  );
  await endpoint.call("release", { consumer: "c", lease_id: leaseIn(second) });
  expect((await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(second) })).status).toBe(204);
  expect((await endpoint.pull()).body).toMatchObject({ messages: [], position: 4 });
});

test("backfilled events come last, with new offsets", async () => {
  const endpoint = await pullEndpoint(service);
  await service.api("POST", `${endpoint.path}/toggle`);
  await service.fire(endpoint.event, { n: 1 });
  await service.api("POST", `${endpoint.path}/toggle`);
  await endpoint.fire({ n: 2 });
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const job = await endpoint.call("backfill", { from });
  expect(job.body).toMatchObject({ count: 1 });
  await service.until(`/v1/replays/${job.body["job_id"]}`, ({ state }) => state === "finished");
  await expect.poll(async () => await lagOf(endpoint, "none")).toBe(2);
  const pulled = await endpoint.pull();
  expect([numbersIn(pulled), offsetsIn(pulled)]).toEqual([
    [2, 1],
    [1, 2],
  ]);
});

test("a delivery of a node of the version before is numbered too", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  await endpoint.drain("warm");
  await service.database.query(
    `insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, due_at, next_attempt_at, lease_id)
     select bucket, tag, overlay(uuid_floor(now())::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid, event_id, event_name, endpoint_id, now() - interval '5 s', now(), gen_random_uuid()
     from pull_message where endpoint_id = $1`,
    [uuidOf(endpoint.id)],
  );
  await service.database.query("select pg_notify('junction_due', '')");
  await expect.poll(async () => await lagOf(endpoint, "none")).toBe(2);
});

test("an endpoint has at most 100 consumers", async () => {
  const endpoint = await pullEndpoint(service);
  await service.database.query(
    `insert into pull_consumer (bucket, tag, endpoint_id, name, position) select bucket, tag, endpoint_id, 'x' || n, 1
     from pull_log, generate_series(1, 98) n where endpoint_id = $1`,
    [uuidOf(endpoint.id)],
  );
  const pulls = await Promise.all(["a", "b", "c", "d"].map(async (consumer) => await endpoint.pull({ consumer })));
  expect(pulls.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
});

test("draining answers a waiting pull at once, without messages", async () => {
  const third = await startService({ on: service, env: UNLIMITED });
  const endpoint = await pullEndpoint(service);
  const since = performance.now();
  const waiting = third.api("POST", `${endpoint.path}/pull`, { consumer: "c", wait_seconds: 25 });
  await sleep(200);
  await third.close();
  expect((await waiting).body).toMatchObject({ messages: [], lease: null });
  expect(performance.now() - since).toBeLessThan(10_000);
});

test("a deleted endpoint cancels messages without an offset and cannot be pulled", async () => {
  const endpoint = await pullEndpoint(service, {
    transform: { kind: "script", source: "export function transform() { throw new Error('no'); }" },
  });
  const [id] = await endpoint.fire({ n: 1 });
  await service.until(`/v1/deliveries/${id}`, ({ attempt_count: count }) => count === 2);
  expect((await service.api("DELETE", endpoint.path)).status).toBe(204);
  expect((await endpoint.pull()).status).toBe(404);
  const shown = await service.until(`/v1/deliveries/${id}`, ({ state }: Parsed) => state !== "pending");
  expect(shown["state"]).toBe("cancelled");
});
