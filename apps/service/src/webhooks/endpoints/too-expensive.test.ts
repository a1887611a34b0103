import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { processorMs } from "../../testing/processor-time.ts";
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

/** JSON text, because the number has more digits than a double. */
const COSTLY = `{"any":[${Array.from({ length: 20 }, () => '{"field":"data.a","op":"contains","value":1.00000000000000001}').join(",")}]}`;
const LARGE = { a: Array.from({ length: 129_000 }, () => 1) };

async function filterBy(path: string, filter: string): Promise<void> {
  expect((await service.api("PATCH", path, `{"filter":${filter}}`)).status).toBe(200);
}

test("an event is accepted, and only the delivery whose filter is too expensive fails", async () => {
  const costly = await subscribe(service, {});
  const other = await subscribe(service, { more: { events: [costly.event] } });
  await filterBy(costly.path, COSTLY);
  const fired = await service.fire(costly.event, LARGE);
  const deliveries: { id: string; endpoint_id: string }[] = fired["deliveries"];
  expect(deliveries).toHaveLength(2);
  const [its, others] = [costly, other].map(
    ({ endpoint }) => deliveries.find((one) => one.endpoint_id === endpoint.id)?.id ?? "",
  );
  await log.in(others ?? "", "delivered");
  expect(await log.in(its ?? "", "failed")).toMatchObject({ last_error_class: "too_expensive", attempt_count: 1 });
  const [attempt] = await log.attempts(its ?? "");
  expect(attempt).toMatchObject({ error_class: "too_expensive", status_code: null });
  expect(costly.receiver.received).toHaveLength(0);
});

test("a replay judges the event by the filter as it is then", async () => {
  const { event, path, receiver } = await subscribe(service);
  await filterBy(path, COSTLY);
  const made = await Promise.all([1, 2].map(async () => await service.fire(event, LARGE)));
  const [first = "", second = ""] = made.map((fired) => fired["deliveries"][0].id);
  const replay = async (id: string, state: string, attempts: number): Promise<void> => {
    expect((await service.api("POST", `/v1/deliveries/${id}/replay`)).status).toBe(202);
    await service.until(
      `/v1/deliveries/${id}`,
      (body) => body["state"] === state && body["attempt_count"] === attempts,
    );
  };
  await log.in(first, "failed");
  await log.in(second, "failed");
  await replay(first, "failed", 2);
  expect(receiver.received).toHaveLength(0);
  await filterBy(path, '{"field":"data.a[0]","op":"eq","value":1}');
  await replay(first, "delivered", 3);
  expect(await receiver.count(1)).toHaveLength(1);
  await filterBy(path, '{"field":"data.a[0]","op":"eq","value":2}');
  await replay(second, "filtered", 1);
  expect(receiver.received).toHaveLength(1);
});

test("many costly filters of an event leave the process responsive", async () => {
  const { event, path } = await subscribe(service);
  await filterBy(path, COSTLY);
  for (let at = 0; at < 20; at += 1) {
    const other = await subscribe(service, { more: { events: [event] } });
    // Each filter differs, so that none is judged together with another one.
    await filterBy(other.path, COSTLY.replace("00001", `000012${at}`));
  }
  const before = processorMs();
  let longest = 0;
  let last = before;
  const timer = setInterval(() => {
    longest = Math.max(longest, processorMs() - last);
    last = processorMs();
  }, 1);
  const fired = await service.fire(event, LARGE);
  clearInterval(timer);
  expect(fired["deliveries"]).toHaveLength(21);
  // One filter holds the loop for 20 ms. The rest is parsing and writing, on a machine that may be busy.
  expect(longest).toBeLessThan(1000);
});

test("an explanation and a preview name a filter that is too expensive", async () => {
  const { event, path } = await subscribe(service);
  await filterBy(path, COSTLY);
  const fired = await service.fire(event, LARGE);
  for (const question of [{ event, data: LARGE }, { event_id: fired["id"] }]) {
    const { status, body } = await service.api("POST", `${path}/explain`, question);
    expect([status, body["matched"]]).toEqual([200, false]);
    expect(body["checks"].at(-1)).toEqual({ check: "filter", matched: false, reason: "too_expensive" });
  }
  const preview = await service.api("POST", `${path}/filter/preview`, `{"filter":${COSTLY}}`);
  expect(preview.body).toMatchObject({ subscribed: 1, matched: 0, too_expensive: 1 });
});
