import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "1h,1h,1h,1h,1h" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

/** A script whose result differs with each run. */
const RANDOM = { kind: "script", source: "export function transform() { return { body: Math.random() }; }" };

test("a node killed before the first attempt leaves its bytes to the next", async () => {
  const { fire, receiver } = await subscribe(service, { status: 500, more: { transform: RANDOM } });
  const id = await fire();
  await log.attempted(id, 1);
  // This is the state after the node was killed when the bytes were kept.
  await service.database.query(
    "with gone as (delete from attempt where delivery_id = $1) update pending_delivery set attempt_count = 0, lease_id = gen_random_uuid() where id = $1",
    [uuidOf(id)],
  );
  await service.database.query("update pending_delivery set due_at = now() where id = $1", [uuidOf(id)]);
  receiver.status(200);
  await service.database.query("select pg_notify('junction_due', '')");
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 1 });
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

test("a transformation that failed runs again with the next attempt", async () => {
  const failing = { kind: "script", source: "export function transform() { throw new Error('no'); }" };
  const { fire, path, receiver } = await subscribe(service, { more: { transform: failing } });
  const id = await fire();
  expect(await log.attempted(id, 1)).toMatchObject({ state: "pending", light: "amber", last_error_class: "transform" });
  await service.api("PATCH", path, { transform: RANDOM });
  await log.hurry();
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2, transform: { version: 2 } });
  expect(receiver.received).toHaveLength(1);
});

test("deliveries that waited for a disabled endpoint are transformed when they are sent", async () => {
  const { fire, path, receiver } = await subscribe(service, {
    status: 500,
    more: { transform: { kind: "template", body: { version: 1 } } },
  });
  const first = await fire();
  await log.attempted(first, 1);
  await service.api("PATCH", path, { active: false });
  await service.api("PATCH", path, { transform: { kind: "template", body: { version: 2 } } });
  receiver.status(200);
  await service.api("PATCH", path, { active: true });
  const second = await fire();
  await log.in(second, "delivered");
  await log.hurry();
  await log.in(first, "delivered");
  const bodies = receiver.received.map(({ body }) => body);
  expect(bodies.toSorted()).toEqual(['{"version":1}', '{"version":1}', '{"version":2}']);
});

test("a filtered delivery can be replayed with others", async () => {
  const nothing = { kind: "script", source: "export function transform() { return null; }" };
  const { fire, path, endpoint, receiver } = await subscribe(service, { more: { transform: nothing } });
  const id = await fire();
  await log.in(id, "filtered");
  await service.api("PATCH", path, { transform: null });
  const filter = { state: "filtered", endpoint_id: endpoint.id };
  const started = await service.api("POST", "/v1/replays", { filter });
  expect([started.status, started.body["total"]]).toEqual([202, 1]);
  await log.in(id, "delivered");
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ delivery_id: id });
});

test("a replay of many deliveries transforms them again if it is asked to", async () => {
  const { fire, path, endpoint, receiver } = await subscribe(service, {
    more: { transform: { kind: "template", body: { version: 1 } } },
  });
  const id = await fire();
  await log.in(id, "delivered");
  await service.api("PATCH", path, { transform: { kind: "template", body: { version: 2 } } });
  const filter = { state: "delivered", endpoint_id: endpoint.id };
  await service.api("POST", "/v1/replays", { filter });
  await log.attempted(id, 2);
  await service.api("POST", "/v1/replays", { filter, retransform: true });
  await log.attempted(id, 3);
  expect(receiver.received.map(({ body }) => body)).toEqual(['{"version":1}', '{"version":1}', '{"version":2}']);
});

test("a test event is transformed as a delivery is, and signed", async () => {
  const { endpoint, path, receiver } = await subscribe(service, {
    more: { transform: { kind: "template", method: "PUT", body: { text: "${$.event}" } } },
  });
  const body = { endpoint_id: endpoint.id, event: "order.created", data: {} };
  const tested = await service.api("POST", "/v1/webhooks/test", body);
  expect(tested.body).toMatchObject({ request: { method: "PUT", body: '{"text":"order.created"}' }, error: null });
  const [request] = await receiver.count(1);
  expect(request).toMatchObject({ method: "PUT", body: '{"text":"order.created"}' });
  expect(new Webhook(endpoint.secret).verify(request?.body ?? "", request?.headers as Record<string, string>)).toEqual({
    text: "order.created",
  });
  await service.api("PATCH", path, {
    transform: { kind: "script", source: "export function transform() { return null; }" },
  });
  const filtered = await service.api("POST", "/v1/webhooks/test", body);
  expect(filtered.body).toMatchObject({ response: null, error: { class: "transform" } });
  expect(receiver.received).toHaveLength(1);
});

test("readers can test a transformation, and neither they nor AI keys change one", async () => {
  const { path } = await subscribe(service);
  const body = { event: "a.b", data: {}, transform: RANDOM };
  const reader = await mintKey(service, { permission_mode: "read_only" });
  expect((await service.api("POST", `${path}/transform/test`, body, { key: reader.key })).status).toBe(200);
  expect((await service.api("PATCH", path, { transform: RANDOM }, { key: reader.key })).status).toBe(403);
  const ai = await mintKey(service, { actor_type: "ai", role: "ai" });
  expect((await service.api("PATCH", path, { transform: RANDOM }, { key: ai.key })).status).toBe(403);
});
