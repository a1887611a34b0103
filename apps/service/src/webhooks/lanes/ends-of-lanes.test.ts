import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const HELD = "lanes.held";
const env = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms", JUNCTION_STAGE_WAIT: "300s" };

let service: TestService;
let log: DeliveryLog;
/** Ends the stages that hold events named HELD. */
let release: () => void = () => undefined;
beforeAll(async () => {
  const subscribers = [
    {
      kind: "rule" as const,
      match: ({ name }: { readonly name: string }) =>
        name === HELD ? [{ kind: "rule" as const, key: "hold", priority: 40 }] : [],
      react: async () => await new Promise<void>((resolve) => (release = resolve)),
    },
  ];
  service = await startService({ env, provides: { subscribers } });
  log = deliveryLog(service);
});
afterAll(async () => {
  release();
  await service.close();
});

async function ordered(...more: string[]): Promise<Subscription> {
  const one = await subscribe(service, { more: { ordering: { key: "endpoint" } } });
  if (more.length > 0) {
    const [event] = (await service.api("GET", one.path)).body["events"] as string[];
    await service.api("PATCH", one.path, { events: [event, ...more] });
  }
  return one;
}

async function fire(event: string, n: number): Promise<string> {
  return (await service.fire(event, { n }))["deliveries"][0].id as string;
}

const numbers = ({ receiver }: Subscription): number[] =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);

const lanes = async ({ path }: Subscription): Promise<Parsed[]> =>
  (await service.api("GET", `${path}/lanes`)).body["data"];

test("a delivery that earlier stages hold can be skipped, and not retried", async () => {
  const one = await ordered(HELD);
  const first = await fire(HELD, 1);
  const second = await fire(one.event, 2);
  await expect.poll(async () => (await lanes(one))[0]?.["head"].delivery_id).toBe(first);
  expect(await log.get(second)).toMatchObject({ state: "pending", blocked_by: first });
  const key = (await lanes(one))[0]?.["key"] as string;
  const retried = await service.api("POST", `${one.path}/lanes/retry`, { key });
  expect([retried.status, retried.body["detail"]]).toEqual([409, expect.stringContaining("earlier stages")]);
  // One that was never tried is not among "all".
  expect((await service.api("POST", `${one.path}/lanes/skip`, { all: true })).body).toEqual({ count: 0 });
  expect((await service.api("POST", `${one.path}/lanes/skip`, { key })).body).toEqual({ count: 1 });
  await log.in(second, "delivered");
  release();
  const third = await fire(one.event, 3);
  await log.in(third, "delivered");
  expect(numbers(one)).toEqual([2, 3]);
  expect(await log.get(first)).toMatchObject({ state: "cancelled", attempt_count: 0 });
});

test("one that waits and is held is sent in its turn, whichever ends first", async () => {
  const one = await ordered(HELD);
  let answer: () => void = () => undefined;
  one.receiver.answer((response) => {
    answer = () => response.writeHead(200).end();
  });
  await fire(one.event, 1);
  await one.receiver.count(1);
  const held = await fire(HELD, 2);
  const last = await fire(one.event, 3);
  // The stages end while it waits: it stays behind the first.
  release();
  await expect
    .poll(
      async () =>
        await service.database.query("select 1 from pending_delivery where id = $1 and next_attempt_at is not null", [
          uuidOf(held),
        ]),
    )
    .toHaveLength(1);
  expect(await log.get(held)).toMatchObject({ state: "pending", next_attempt_at: null });
  expect(numbers(one)).toEqual([1]);
  one.receiver.status(200);
  answer();
  await log.in(last, "delivered");
  expect(numbers(one)).toEqual([1, 2, 3]);
});

test("a lane continues when retention has deleted the delivery that blocks it", async () => {
  const one = await ordered();
  one.receiver.status(500);
  const first = await fire(one.event, 1);
  await log.in(first, "failed");
  await expect.poll(async () => (await lanes(one))[0]?.["blocked_since"]).not.toBeNull();
  one.receiver.status(200);
  const second = await fire(one.event, 2);
  expect(await log.get(second)).toMatchObject({ state: "pending", blocked_by: first });
  await service.database.query("delete from delivery where id = $1", [uuidOf(first)]);
  // A node looks for such lanes when it starts, and then each minute.
  const node = await startService({ on: service, env });
  await log.in(second, "delivered");
  await node.close();
  await expect.poll(async () => await lanes(one)).toEqual([]);
  expect(one.receiver.received.at(-1)?.headers["x-service-sequence"]).toBe("2");
});

test("a forgotten lane begins at 1, and a replay keeps its number", async () => {
  const one = await ordered();
  one.receiver.status(500);
  const first = await fire(one.event, 1);
  await log.in(first, "failed");
  const [{ key } = {}] = await lanes(one);
  await service.api("POST", `${one.path}/lanes/skip`, { key });
  await fire(one.event, 2);
  await expect.poll(async () => (await lanes(one))[0]?.["blocked_since"] ?? null).not.toBeNull();
  await service.api("POST", `${one.path}/lanes/skip`, { key });
  await expect.poll(async () => await lanes(one)).toEqual([]);
  await service.database.query("delete from lane where key = $1 and head_id is null", [key]);
  one.receiver.status(200);
  await service.api("POST", `/v1/deliveries/${first}/replay`);
  await log.in(first, "delivered");
  const third = await fire(one.event, 3);
  await log.in(third, "delivered");
  const numbered = one.receiver.received.slice(-2).map(({ headers }) => headers["x-service-sequence"]);
  expect(numbered).toEqual(["1", "1"]);
  expect(numbers(one).slice(-2)).toEqual([1, 3]);
});

test("an endpoint's deletion leaves nothing of full lanes while one is sent", async () => {
  const one = await subscribe(service, { more: { ordering: { key: "$.data.order" }, max_in_flight: 4 } });
  const open: (() => void)[] = [];
  one.receiver.answer((response) => void open.push(() => response.writeHead(200).end()));
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1)
    ids.push((await service.fire(one.event, { n, order: n % 3 }))["deliveries"][0].id as string);
  await one.receiver.count(3);
  expect((await service.api("DELETE", one.path)).status).toBe(204);
  for (const answer of open) answer();
  for (const id of ids) await log.in(id, "cancelled");
  const left = async (): Promise<unknown[]> =>
    await service.database.query(
      "select key from lane where endpoint_id = $1 union all select lane from pending_delivery where endpoint_id = $1",
      [uuidOf(one.endpoint.id)],
    );
  await expect.poll(left).toEqual([]);
  expect(one.receiver.received).toHaveLength(3);
});
