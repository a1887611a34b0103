import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const takers = (fired: Parsed): string[] =>
  fired["deliveries"].map((delivery: { endpoint_id: string }) => delivery.endpoint_id).toSorted();
const idsOf = (...subscriptions: Subscription[]): string[] => subscriptions.map((one) => one.endpoint.id).toSorted();

covers(
  ["endpoint.filter.wildcard", "endpoint.filter.subset", "endpoint.filter.independent"],
  "* selects every event, a list exactly its names, and filters are independent",
  async () => {
    const star = await subscribe(service, { more: { events: ["*"] } });
    const paid = await subscribe(service, { more: { events: ["invoice.paid", "my.own-event"] } });
    const shipped = await subscribe(service, { more: { events: ["order.shipped"] } });
    expect(takers(await service.fire("invoice.paid"))).toEqual(idsOf(star, paid));
    expect(takers(await service.fire("my.own-event"))).toEqual(idsOf(star, paid));
    expect(takers(await service.fire("order.shipped"))).toEqual(idsOf(star, shipped));
    expect(takers(await service.fire("order.created"))).toEqual(idsOf(star));
    expect(takers(await service.fire("invoice.paid.late"))).toEqual(idsOf(star));
    expect(takers(await service.fire("invoice"))).toEqual(idsOf(star));
    expect(takers(await service.fire("Invoice.Paid"))).toEqual(idsOf(star));
    const names = async (one: Subscription, count: number): Promise<unknown[]> =>
      (await one.receiver.count(count)).map(({ headers }) => headers["x-service-event"]).toSorted();
    expect(await names(star, 7)).toHaveLength(7);
    expect(await names(paid, 2)).toEqual(["invoice.paid", "my.own-event"]);
    expect(await names(shipped, 1)).toEqual(["order.shipped"]);
  },
);

covers("dispatch.subscriber.endpoints", "an event creates one delivery for each endpoint", async () => {
  const one = await subscribe(service, { more: { events: ["twice.named", "*", "twice.named"] } });
  expect(takers(await service.fire("twice.named"))).toEqual(idsOf(one));
  expect((await service.api("GET", one.path)).body["events"]).toEqual(["twice.named", "*"]);
});

covers("endpoint.filter.subset", "a changed filter applies from the next event on", async () => {
  const { path, receiver } = await subscribe(service, { more: { events: ["change.before"] } });
  await service.fire("change.before");
  await receiver.count(1);
  expect((await service.api("PATCH", path, { events: ["change.after"] })).body["events"]).toEqual(["change.after"]);
  expect((await service.fire("change.before"))["deliveries"]).toEqual([]);
  expect((await service.fire("change.after"))["deliveries"]).toHaveLength(1);
});

test("system events go only to endpoints that name them, except their subject", async () => {
  const star = await subscribe(service, { more: { events: ["*"] } });
  const watcher = await subscribe(service, {
    more: { events: ["webhook.delivery.failed", "webhook.endpoint.disabled"] },
  });
  const failing = await startReceiver();
  failing.status(500);
  const own = ["self.news", "webhook.delivery.failed", "webhook.endpoint.disabled"];
  const about = await service.endpoint(failing.url, { events: own });
  const fired = await service.fire("self.news");
  const delivery = fired["deliveries"].find((one: { endpoint_id: string }) => one.endpoint_id === about.id);
  const [news] = await watcher.receiver.count(1);
  const body = JSON.parse(news?.body ?? "");
  expect(body).toMatchObject({
    event: "webhook.delivery.failed",
    data: {
      delivery_id: delivery.id,
      endpoint_id: about.id,
      event: "self.news",
      event_id: fired["id"],
      attempt_count: 6,
    },
  });
  const told = await service.api("GET", `/v1/events/${body.id}`);
  expect(takers(told.body)).toEqual(idsOf(watcher));
  expect(star.receiver.received.map(({ headers }) => headers["x-service-event"])).toEqual(["self.news"]);
  expect(failing.received).toHaveLength(6);
  await failing.close();
});

test("a failed delivery of a system event does not create another one", async () => {
  const log = deliveryLog(service);
  const deaf = await subscribe(service, { status: 500, more: { events: ["webhook.delivery.failed"] } });
  const other = await subscribe(service, { more: { events: ["webhook.delivery.failed"] } });
  const failing = await subscribe(service, { status: 500 });
  await log.in(await failing.fire(), "failed");
  await deaf.receiver.count(6);
  const failed = `/v1/deliveries?endpoint_id=${deaf.endpoint.id}&state=failed`;
  await service.until(failed, (page) => page["data"].length === 1);
  expect(other.receiver.received).toHaveLength(1);
});
