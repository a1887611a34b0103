import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdMaker, instant, parseId, systemClock, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { ruleOn } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
});
afterAll(async () => await service.close());

const news = "webhook.delivery.failed";

/** Writes an announcement, like a node that stops between the commit of a result and the firing of its event. */
async function announced(about: string, ageMs = 0): Promise<string> {
  const clock = { ...systemClock, now: () => instant(Date.now() - ageMs) };
  const id = createIdMaker(clock).uuid();
  const place = parseId(about);
  await service.database.query(
    `insert into outbox (bucket, tag, id, workspace_id, name, subject, data)
     select bucket, tag, $2, workspace_id, $3, $4, '{"left":"behind"}' from endpoint where id = $1`,
    [place?.uuid, id, news, about],
  );
  return id;
}

test("nodes fire the announced events of a stopped node exactly once", async () => {
  const watcher = await subscribe(service, { more: { events: [news] } });
  const { endpoint } = await subscribe(service);
  const left = [await announced(endpoint.id), await announced(endpoint.id), await announced(endpoint.id)];
  const nodes = await Promise.all([1, 2].map(async () => await startService({ on: service, env: SHORT_LADDER })));
  const received = await watcher.receiver.count(3);
  expect(received.map(({ body }) => JSON.parse(body).data)).toEqual(left.map(() => ({ left: "behind" })));
  await expect.poll(async () => await service.database.query("select 1 from outbox")).toEqual([]);
  const listed = (await service.api("GET", `/v1/events?event=${news}`)).body.data as { id: string; subject: string }[];
  expect(listed.map(({ id }) => parseId(id)?.uuid).toSorted()).toEqual(left.toSorted());
  expect(new Set(listed.map(({ subject }) => subject))).toEqual(new Set([endpoint.id]));
  for (const node of nodes) await node.close();
  expect(watcher.receiver.received).toHaveLength(3);
});

test("the failure event of a delivery is announced in its last attempt's commit", async () => {
  const { fire } = await subscribe(service, { status: 500 });
  const log = deliveryLog(service);
  // Stops the step after the commit. The next node to look still finds the announcement.
  await service.service.events.stop();
  const id = await fire();
  await log.in(id, "failed");
  const [row] = await service.database.query<{ name: string; data: string }>(
    "select name, data from outbox where name not like 'issue.%'",
  );
  expect([row?.name, JSON.parse(row?.data ?? "{}").delivery_id]).toEqual([news, id]);

  service.service.events.start();
  await expect.poll(async () => await service.database.query("select 1 from outbox")).toEqual([]);
});

test.each([
  ["ten minutes late", 600_000],
  ["on a node whose clock is ten minutes behind", -600_000],
])("an announced event that is fired %s is sent at once with its deliveries", async (_how, ageMs) => {
  const name = "webhook.delivery.failed";
  const { endpoint, receiver } = await subscribe(service, { more: { events: [name] } });
  const { endpoint: about } = await subscribe(service);
  // Deliveries wait for the rules that react to their event.
  await ruleOn(service, { on: [name] });
  const left = await announced(about.id, ageMs);
  const node = await startService({ on: service, env: SHORT_LADDER });
  await receiver.count(1);
  await node.close();
  const [row] = await service.database.query<{ tag: Tag }>("select tag from event where id = $1", [left]);
  const { body } = await service.api("GET", `/v1/events/${wireId("evt", row?.tag ?? ("" as Tag), left as Uuid)}`);
  expect(body.deliveries).toMatchObject([{ endpoint_id: endpoint.id }]);
});
