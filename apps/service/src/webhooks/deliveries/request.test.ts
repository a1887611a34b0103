import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { macHex, macStandard, unsigned } from "../../testing/signature.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

covers("deliver.request.post", "a delivery is a POST of JSON to the endpoint's URL with its query", async () => {
  const { receiver, event } = await subscribe(service);
  await service.endpoint(`${receiver.url}/deep?token=a%20b&x=1`, { events: [event] });
  await service.fire(event);
  const received = await receiver.count(2);
  expect(received.map((one) => one.path).toSorted()).toEqual(["/hook", "/hook/deep?token=a%20b&x=1"]);
  for (const { method, headers, body } of received) {
    expect(method).toBe("POST");
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    expect(JSON.parse(body)).toBeTypeOf("object");
  }
});

covers(
  ["deliver.sign.hmac-sha256", "deliver.sign.exact-bytes", "deliver.header.signature", "endpoint.secret.own"],
  "X-Service-Signature is the body's HMAC-SHA256 with the endpoint's own secret",
  async () => {
    const one = await subscribe(service);
    const other = await subscribe(service, { more: { events: [one.event] } });
    // Contains bytes that a second serialization would change.
    await service.api("POST", "/v1/events/fire", `{"event":"${one.event}","data":{"b":1.0, "a":"é\\u00e9😀" }}`);
    for (const { receiver, endpoint } of [one, other]) {
      const [first] = await receiver.count(1);
      expect(first?.headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/);
      expect(first?.headers["x-service-signature"]).toBe(macHex(endpoint.secret, first?.body ?? ""));
    }
    expect(one.endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(one.endpoint.secret).not.toBe(other.endpoint.secret);
  },
);

test("webhook-id, webhook-timestamp and webhook-signature follow Standard Webhooks", async () => {
  const { receiver, endpoint, fire } = await subscribe(service);
  const id = await fire({ note: "café 😀" });
  const [first] = await receiver.count(1);
  const headers = first?.headers ?? {};
  expect(headers["webhook-id"]).toBe(id);
  expect(headers["webhook-timestamp"]).toBe(headers["x-service-timestamp"]);
  expect(headers["webhook-signature"]).toBe(
    macStandard(endpoint.secret, { id, timestamp: headers["webhook-timestamp"], body: first?.body ?? "" }),
  );
});

covers("deliver.header.timestamp", "X-Service-Timestamp holds the Unix seconds of the attempt", async () => {
  const { receiver, fire } = await subscribe(service);
  const before = Math.floor(Date.now() / 1000);
  await fire();
  const [first] = await receiver.count(1);
  const timestamp = String(first?.headers["x-service-timestamp"]);
  expect(timestamp).toMatch(/^\d{10}$/);
  expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
  expect(Number(timestamp)).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
});

covers(
  ["deliver.header.event", "deliver.header.delivery", "deliver.header.idempotency"],
  "the headers and the body name the event, the delivery and its nonce",
  async () => {
    const { receiver, event, fire } = await subscribe(service);
    const id = await fire();
    const [first] = await receiver.count(1);
    const body = JSON.parse(first?.body ?? "");
    expect(first?.headers).toMatchObject({
      "x-service-event": event,
      "x-service-delivery": id,
      "x-service-idempotency": body.idempotency_key,
    });
    expect(String(first?.headers["x-service-idempotency"]).length).toBeGreaterThan(16);
    expect(first?.headers["user-agent"]).toMatch(/^Junction\/\d/);
  },
);

test("two deliveries of one event have different nonces", async () => {
  const { receiver, event } = await subscribe(service);
  await service.endpoint(receiver.url, { events: [event] });
  await service.fire(event);
  const received = await receiver.count(2);
  expect(new Set(received.map((one) => one.headers["x-service-idempotency"])).size).toBe(2);
});

covers(
  "deliver.payload.fields",
  "the payload has event, delivery_id, idempotency_key and data, with signature last",
  async () => {
    const { receiver, event, path } = await subscribe(service);
    const endpoint = await service.api("GET", path);
    const fired = await service.api("POST", "/v1/events/fire", {
      event,
      data: { order: { id: "ord_1" } },
      occurred_at: "2026-02-03T04:05:06.789Z",
    });
    const [delivery] = fired.body["deliveries"];
    const [first] = await receiver.count(1);
    const body = JSON.parse(first?.body ?? "");
    expect(Object.keys(body)).toEqual([
      "event",
      "delivery_id",
      "idempotency_key",
      "id",
      "type",
      "timestamp",
      "scope_kind",
      "scope_key",
      "environment",
      "data",
      "signature",
    ]);
    expect(body).toMatchObject({
      event,
      delivery_id: delivery.id,
      id: fired.body["id"],
      type: event,
      timestamp: "2026-02-03T04:05:06.789Z",
      scope_kind: "workspace",
      environment: "live",
      data: { order: { id: "ord_1" } },
    });
    expect(body.scope_key).toMatch(/^ws_/);
    expect(body.scope_key).toBe(endpoint.body["scope_key"]);
  },
);

covers(
  "deliver.payload.signature",
  "the payload's signature is the HMAC of the body with an empty signature",
  async () => {
    const { receiver, endpoint, fire } = await subscribe(service);
    // Text in the data that looks like the signature member must not be mistaken for it.
    await fire({ signature: "", text: '"signature":""}', nested: { signature: "sha256=00" } });
    const [first] = await receiver.count(1);
    const { before, signature } = unsigned(first?.body ?? "");
    expect(signature).toBe(`sha256=${macHex(endpoint.secret, before)}`);
    expect(JSON.parse(first?.body ?? "").signature).toBe(signature);
  },
);

covers(
  ["deliver.id.stable", "deliver.nonce.stable"],
  "delivery id, nonce and body are stable across attempts, and the timestamp differs",
  async () => {
    const { receiver, endpoint, fire } = await subscribe(service, { status: 500 });
    const log = deliveryLog(service);
    const id = await fire();
    await log.attempted(id, 1);
    await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
    await log.hurry();
    await log.attempted(id, 2);
    receiver.status(200);
    await log.hurry();
    await log.in(id, "delivered");
    const received = await receiver.count(3);
    expect(new Set(received.map((one) => one.headers["x-service-delivery"]))).toEqual(new Set([id]));
    expect(new Set(received.map((one) => one.headers["webhook-id"]))).toEqual(new Set([id]));
    expect(new Set(received.map((one) => one.headers["x-service-idempotency"])).size).toBe(1);
    expect(new Set(received.map((one) => one.body)).size).toBe(1);
    expect(received[1]?.headers["x-service-timestamp"]).not.toBe(received[0]?.headers["x-service-timestamp"]);
    for (const { headers, body } of received) {
      const timestamp = headers["webhook-timestamp"];
      expect(headers["webhook-signature"]).toBe(macStandard(endpoint.secret, { id, timestamp, body }));
    }
  },
);

test("the endpoint's own headers are sent with the service's headers", async () => {
  const { receiver, fire } = await subscribe(service, {
    more: { headers: { Authorization: "Bearer of-theirs", "X-Tenant": "t 1" } },
  });
  await fire();
  const [first] = await receiver.count(1);
  expect(first?.headers).toMatchObject({ authorization: "Bearer of-theirs", "x-tenant": "t 1" });
});

test("the log shows the sent request without the endpoint's own header values", async () => {
  const { receiver, fire } = await subscribe(service, { more: { headers: { Authorization: "Bearer of-theirs" } } });
  const id = await fire();
  const [first] = await receiver.count(1);
  const log = deliveryLog(service);
  await log.in(id, "delivered");
  const shown = await log.get(id);
  expect(shown["request"]).toMatchObject({ method: "POST", url: receiver.url, body: first?.body });
  expect(JSON.stringify(shown)).not.toContain("of-theirs");
  expect(shown["request"].headers["X-Service-Signature"]).toBe(first?.headers["x-service-signature"]);
  expect(shown["request"].headers["webhook-signature"]).toBe(first?.headers["webhook-signature"]);
});

covers("deliver.semantics.at-least-once", "a delivery whose response was lost is sent again with its id", async () => {
  const { receiver, fire } = await subscribe(service);
  const log = deliveryLog(service);
  receiver.answer((response) => response.socket?.destroy());
  const id = await fire();
  await log.attempted(id, 1);
  receiver.status(200);
  await log.hurry();
  await log.in(id, "delivered");
  expect((await receiver.count(2)).map((one) => one.headers["x-service-delivery"])).toEqual([id, id]);
});
