import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const env = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms" };
let service: TestService;
let twin: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env });
  twin = await startService({ on: service, env });
  log = deliveryLog(service);
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

const ordered = async (key: string, more: object = {}): Promise<Subscription> =>
  await subscribe(service, { more: { ordering: { key }, ...more } });

async function fireAll({ event }: Subscription, ...data: object[]): Promise<string[]> {
  const { body } = await service.api("POST", "/v1/events/batch", { events: data.map((one) => ({ event, data: one })) });
  return (body["data"] as Parsed[]).map((fired) => fired["deliveries"][0].id as string);
}

const lanes = async ({ path }: Subscription): Promise<Parsed[]> =>
  (await service.api("GET", `${path}/lanes`)).body["data"];

const numbers = ({ receiver }: Subscription): number[] =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);

const post = async ({ path }: Subscription, what: string, body: object): Promise<unknown[]> => {
  const answer = await service.api("POST", `${path}/lanes/${what}`, body);
  return [answer.status, answer.body["count"] ?? answer.body["detail"]];
};

test("a key of 10 KB is its hash in requests, lists and skips", async () => {
  const one = await ordered("$.data.order");
  one.receiver.status(500);
  const long = "ä".repeat(5000);
  const key = `sha256:${createHash("sha256").update(`"${long}"`).digest("hex")}`;
  const ids = await fireAll(one, { order: long, n: 1 }, { order: long, n: 2 }, { order: `${long}ä`, n: 3 });
  await log.in(String(ids[0]), "failed");
  const request = one.receiver.received.find(({ headers }) => headers["x-service-delivery"] === ids[0]);
  expect(request?.headers["x-service-ordering-key"]).toBe(encodeURIComponent(key));
  await expect.poll(async () => (await lanes(one)).map((lane) => lane["key"])).toContain(key);
  expect((await lanes(one)).length).toBe(2);
  one.receiver.status(200);
  expect(await post(one, "skip", { key })).toEqual([202, 1]);
  expect(await log.in(String(ids[1]), "delivered")).toMatchObject({ ordering_key: key, sequence: 2 });
});

test("a transformation that filters frees its lane, and one that fails blocks it", async () => {
  const source = `export function transform({ data }) {
    if (data.n === 1) return null;
    if (data.n === 2) throw new Error("no");
    return { body: { data } };
  }`;
  const one = await ordered("endpoint", { transform: { kind: "script", source } });
  const ids = await fireAll(one, { n: 1 }, { n: 2 }, { n: 3 });
  await log.in(String(ids[0]), "filtered");
  await log.in(String(ids[1]), "failed");
  expect(await log.get(String(ids[2]))).toMatchObject({ state: "pending", blocked_by: ids[1] });
  await service.api("PATCH", one.path, { transform: null });
  expect(await post(one, "retry", { all: true })).toEqual([202, 1]);
  await log.in(String(ids[2]), "delivered");
  const seen = one.receiver.received.map(({ headers }) => headers["x-service-sequence"]);
  expect([numbers(one), seen]).toEqual([
    [2, 3],
    ["2", "3"],
  ]);
});

test("an erased head is skipped only, and an erased one is passed", async () => {
  const one = await ordered("endpoint");
  one.receiver.status(500);
  const ids = await fireAll(one, { n: 1 }, { n: 2 }, { n: 3 });
  await log.in(String(ids[0]), "failed");
  const erase = async (id: string | undefined): Promise<unknown> =>
    await service.database.query(
      `delete from event where id in (select event_id from delivery where id = $1 union select event_id from pending_delivery where id = $1)`,
      [uuidOf(String(id))],
    );
  await erase(ids[0]);
  await erase(ids[1]);
  one.receiver.status(200);
  const [lane] = await lanes(one);
  const key = lane?.["key"];
  expect(await post(one, "retry", { key })).toEqual([409, expect.stringContaining("no longer kept")]);
  expect(await post(one, "retry", { all: true })).toEqual([202, 0]);
  expect(await post(one, "skip", { key })).toEqual([202, 1]);
  await log.in(String(ids[2]), "delivered");
  expect((await log.get(String(ids[1])))["state"]).not.toBe("pending");
  expect(numbers(one)).toEqual([1, 1, 3]);
});

test("a head whose filter is too expensive blocks its lane until it is judged", async () => {
  const one = await ordered("endpoint");
  const condition = '{"field":"data.a","op":"contains","value":1.00000000000000001}';
  const filter = `{"any":[${Array.from({ length: 20 }, () => condition).join(",")}]}`;
  expect((await service.api("PATCH", one.path, `{"filter":${filter}}`)).status).toBe(200);
  const fire = async (data: string): Promise<string> =>
    (await service.api("POST", "/v1/events/fire", `{"event":"${one.event}","data":${data}}`)).body["deliveries"][0].id;
  const first = await fire(JSON.stringify({ n: 1, a: Array.from({ length: 129_000 }, () => 1) }));
  const second = await fire('{"n":2,"a":[1.00000000000000001]}');
  expect(await log.in(first, "failed")).toMatchObject({ last_error_class: "too_expensive", sequence: 1 });
  expect(await log.get(second)).toMatchObject({ state: "pending", blocked_by: first });
  await service.api("PATCH", one.path, { filter: null });
  expect(await post(one, "retry", { all: true })).toEqual([202, 1]);
  await log.in(second, "delivered");
  expect(numbers(one)).toEqual([1, 2]);
});

test("an event with deliver_at takes its place when it is due", async () => {
  const one = await ordered("endpoint");
  one.receiver.status(500);
  const deliver_at = new Date(Date.now() + 1000).toISOString();
  await service.api("POST", "/v1/events/fire", { event: one.event, data: { n: 9 }, deliver_at });
  const [first] = await fireAll(one, { n: 1 }, { n: 2 });
  await log.in(String(first), "failed");
  const waiting = async (): Promise<unknown> => (await lanes(one))[0]?.["waiting"];
  await expect.poll(waiting, { timeout: 10_000 }).toBe(2);
  one.receiver.status(200);
  expect(await post(one, "retry", { all: true })).toEqual([202, 1]);
  await one.receiver.count(5);
  expect(numbers(one)).toEqual([1, 1, 1, 2, 9]);
});

test("changes of the key under load lose, repeat and block nothing", { timeout: 60_000 }, async () => {
  const one = await ordered("$.data.order", { max_in_flight: 16 });
  const keys = ["$.data.order", "endpoint", null, "$.data.w", "subject"];
  let isFiring = true;
  const changing = (async () => {
    for (let at = 0; isFiring; at += 1) {
      const key = keys[at % keys.length];
      const ordering = key === null ? null : { key };
      expect((await service.api("PATCH", one.path, { ordering })).status).toBe(200);
      // Each key is in force for some events.
      await one.receiver.count(Math.min(at * 3, 60));
    }
  })();
  const fired: string[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async (_, w) => {
      for (let n = 1; n <= 15; n += 1) {
        const body = { event: one.event, subject: `s-${w}`, data: { order: `o-${n % 3}`, w, n } };
        const { status, body: answer } = await (w % 2 === 0 ? service : twin).api("POST", "/v1/events/fire", body);
        expect(status).toBe(202);
        fired.push(answer["deliveries"][0].id as string);
      }
    }),
  );
  isFiring = false;
  await changing;
  await one.receiver.count(fired.length);
  for (const id of fired) await log.in(id, "delivered");
  const seen = one.receiver.received.map(({ headers }) => String(headers["x-service-delivery"]));
  expect(seen.toSorted()).toEqual(fired.toSorted());
  // The numbers of each lane rise, also across changes.
  const last = new Map<string, number>();
  for (const { headers } of one.receiver.received) {
    const key = String(headers["x-service-ordering-key"]);
    const sequence = Number(headers["x-service-sequence"]);
    if (Number.isNaN(sequence)) continue;
    expect(sequence).toBe((last.get(key) ?? 0) + 1);
    last.set(key, sequence);
  }
  expect(last.size).toBeGreaterThan(3);
  await expect.poll(async () => await lanes(one)).toEqual([]);
});
