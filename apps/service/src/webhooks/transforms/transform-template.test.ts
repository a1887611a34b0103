import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "20ms,20ms,20ms,20ms,20ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const template = (body: unknown, more: object = {}): object => ({ kind: "template", body, ...more });

/** Fires with data as it is written here. Returns the id of the only delivery. */
async function fireText(event: string, data: string): Promise<string> {
  const { status, text, body } = await service.api("POST", "/v1/events/fire", `{"event":"${event}","data":${data}}`);
  if (status !== 202) throw new Error(text);
  return body["deliveries"][0].id;
}

async function transformed(transform: object): Promise<Subscription> {
  return await subscribe(service, { more: { transform } });
}

const replay = async (id: string, query = ""): Promise<ApiAnswer> =>
  await service.api("POST", `/v1/deliveries/${id}/replay${query}`);

describe("a template", () => {
  test("keeps the type and all digits of a value that stands alone", async () => {
    const { event, receiver } = await transformed(
      template({ total: "${$.data.total}", all: "${$.data}", text: "Total: ${$.data.total} (${$.event})", fixed: 1 }),
    );
    await fireText(event, '{"total":10203040506070809.50,"a":{"b":[-0,1e400]}}');
    const [request] = await receiver.count(1);
    expect(request?.body).toBe(
      `{"total":10203040506070809.50,"all":{"total":10203040506070809.50,"a":{"b":[-0,1e400]}},"text":"Total: 10203040506070809.50 (${event})","fixed":1}`,
    );
  });

  test("keeps its own numbers as the caller wrote them", async () => {
    const { event, path, receiver } = await subscribe(service);
    const transform = '{"kind":"template","body":{"limit":9007199254740993.00}}';
    const changed = await service.api("PATCH", path, `{"transform":${transform}}`);
    expect(changed.text).toContain(`"transform":${transform}`);
    expect(changed.body["transform_version"]).toBe(1);
    await fireText(event, "{}");
    const [request] = await receiver.count(1);
    expect(request?.body).toBe('{"limit":9007199254740993.00}');
  });

  test("is signed as it is sent, by both families of signatures", async () => {
    const { event, endpoint, receiver } = await transformed(template({ id: "${$.id}", at: "${$.timestamp}" }));
    await fireText(event, "{}");
    const [request] = await receiver.count(1);
    const { headers = {}, body = "" } = request ?? {};
    expect(headers["x-service-signature"]).toBe(createHmac("sha256", endpoint.secret).update(body).digest("hex"));
    expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toEqual({
      id: expect.stringMatching(/^evt_/),
      at: expect.any(String),
    });
  });

  test("gives null for a missing path, and says so in the delivery", async () => {
    const { event } = await transformed(template({ a: "${$.data.x.y}", b: "[${$.data.z}]" }));
    const id = await fireText(event, '{"here":1}');
    const delivery = await log.in(id, "delivered");
    expect(delivery["request"]).toMatchObject({ method: "POST", body: '{"a":null,"b":"[]"}' });
    expect(delivery["transform"]).toEqual({
      version: 1,
      before: expect.stringContaining('"data":{"here":1}'),
      log: ["There is no value at $.data.x.y.", "There is no value at $.data.z."],
    });
  });

  test("sets the method, headers and the content type", async () => {
    const headers = { "X-Order": "${$.data.id}", "x-own": "mine", "Content-Type": "application/cloudevents+json" };
    const { event, receiver } = await subscribe(service, {
      more: { headers: { "X-Own": "endpoint" }, transform: template({}, { method: "PUT", headers }) },
    });
    const id = await fireText(event, '{"id":7.0}');
    const [request] = await receiver.count(1);
    expect(request).toMatchObject({
      method: "PUT",
      headers: { "x-order": "7.0", "x-own": "mine", "content-type": "application/cloudevents+json" },
    });
    expect((await log.in(id, "delivered"))["request"]).toMatchObject({ method: "PUT" });
  });

  test.each([
    ["a line break in a header's value", '{"id":"a\\r\\nX-Service-Signature: 1"}'],
    ["a header's value that is too long", `{"id":"${"x".repeat(3000)}"}`],
  ])("is a failed attempt for %s", async (_what, data) => {
    const { event, receiver } = await transformed(template({}, { headers: { "X-Order": "${$.data.id}" } }));
    const id = await fireText(event, data);
    const failed = await log.in(id, "failed");
    expect(failed).toMatchObject({ attempt_count: 6, last_error_class: "transform", request: null });
    const [first] = await log.attempts(id);
    expect(first).toMatchObject({ status_code: null, error_class: "transform" });
    expect(first?.["error_detail"]).toContain("/headers/X-Order");
    expect(receiver.received).toHaveLength(0);
  });

  test("is a failed attempt if its body would become too large", async () => {
    const { event } = await transformed(template(Array.from({ length: 20 }, () => "${$.data}")));
    const id = await fireText(event, JSON.stringify({ text: "x".repeat(20_000) }));
    await log.in(id, "failed");
    expect((await log.attempts(id))[0]?.["error_detail"]).toContain("larger than 262144 bytes");
  });
});

describe("a request that was transformed", () => {
  test("is sent with the same bytes by each retry and replay", async () => {
    const { event, path, receiver } = await transformed(template({ version: 1, id: "${$.data.id}" }));
    receiver.status(500);
    const id = await fireText(event, '{"id":1}');
    await receiver.count(1);
    await service.api("PATCH", path, { transform: template({ version: 2 }) });
    await log.in(id, "failed");
    receiver.status(200);
    await service.api("PATCH", path, { transform: null });
    await replay(id);
    await log.in(id, "delivered");
    expect(new Set(receiver.received.map(({ body }) => body))).toEqual(new Set(['{"version":1,"id":1}']));
    expect(receiver.received).toHaveLength(7);
  });

  test("is made again by a replay that asks for it", async () => {
    const { event, path, receiver } = await transformed(template({ version: 1 }));
    const id = await fireText(event, "{}");
    await log.in(id, "delivered");
    await service.api("PATCH", path, { transform: template({ version: 2 }) });
    await replay(id, "?retransform=true");
    expect((await log.attempted(id, 2))["transform"]).toMatchObject({ version: 2 });
    await service.api("PATCH", path, { transform: null });
    await replay(id);
    await log.attempted(id, 3);
    await replay(id, "?retransform=true");
    await log.attempted(id, 4);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.slice(0, 3)).toEqual(['{"version":1}', '{"version":2}', '{"version":2}']);
    expect(JSON.parse(bodies[3] ?? "")).toMatchObject({ event, type: event });
    expect((await log.get(id))["transform"]).toBeNull();
  });

  test("is signed with the new secret after a regeneration", async () => {
    const { event, path, receiver } = await transformed(template({ a: 1 }));
    receiver.status(500);
    const id = await fireText(event, "{}");
    await log.in(id, "failed");
    const { body: regenerated } = await service.api("POST", `${path}/secret/regenerate`, {});
    receiver.status(200);
    await replay(id);
    await log.in(id, "delivered");
    const { headers = {}, body = "" } = receiver.received.at(-1) ?? {};
    expect(new Webhook(regenerated["secret"]).verify(body, headers as Record<string, string>)).toEqual({ a: 1 });
  });

  test("is not stored for an endpoint without a transformation", async () => {
    const { fire } = await subscribe(service);
    const id = await fire();
    await log.in(id, "delivered");
    const of = async (text: string): Promise<unknown[]> => await service.database.query(text, [uuidOf(id)]);
    expect(await of("select transformed from delivery where id = $1")).toEqual([{ transformed: null }]);
    expect(await of("select 1 from delivery_request where delivery_id = $1")).toEqual([]);
  });
});

describe("a transformation that is saved", () => {
  const faultsOf = async (transform: unknown): Promise<string[]> => {
    const { path } = await subscribe(service);
    const before = await service.api("GET", path);
    const { status, body } = await service.api("PATCH", path, { transform });
    expect([status, (await service.api("GET", path)).text]).toEqual([422, before.text]);
    return body["errors"].map((one: { pointer: string }) => one.pointer);
  };

  test.each([
    ["no body", { kind: "template" }, ["/transform/body"]],
    ["another kind", { kind: "xslt", body: {} }, ["/transform/kind"]],
    ["an unknown member", { kind: "template", body: {}, url: "https://example.com" }, ["/transform/url"]],
    ["an unknown root", template({ a: ["${$.contact.email}"] }), ["/transform/body/a/0"]],
    ["a token that is no path", template({ a: "${1 + 1}" }), ["/transform/body/a"]],
    ["another method", template({}, { method: "GET" }), ["/transform/method"]],
    ["a header of the host", template({}, { headers: { Host: "a" } }), ["/transform/headers/Host"]],
    [
      "a header of the length",
      template({}, { headers: { "content-length": "1" } }),
      ["/transform/headers/content-length"],
    ],
    [
      "a signature header",
      template({}, { headers: { "Webhook-Signature": "v1" } }),
      ["/transform/headers/Webhook-Signature"],
    ],
    ["a service header", template({}, { headers: { "X-Service-Event": "a" } }), ["/transform/headers/X-Service-Event"]],
    [
      "a header of the connection",
      template({}, { headers: { "Transfer-Encoding": "a" } }),
      ["/transform/headers/Transfer-Encoding"],
    ],
    ["a credential", template({}, { headers: { Authorization: "Bearer 1" } }), ["/transform/headers/Authorization"]],
    ["a line break in a header", template({}, { headers: { "X-A": "a\r\nb" } }), ["/transform/headers/X-A"]],
    [
      "a content type that is not JSON",
      template({}, { headers: { "Content-Type": "text/html" } }),
      ["/transform/headers/Content-Type"],
    ],
    ["65 537 bytes", template({ a: "x".repeat(65_536) }), ["/transform"]],
  ])("is refused with %s", async (_what, transform, pointers) => {
    expect(await faultsOf(transform)).toEqual(pointers);
  });

  test("has presets that can be saved, one of them CloudEvents", async () => {
    const { body } = await service.api("GET", "/v1/transform-presets");
    expect(body["data"].map(({ key }: { key: string }) => key)).toEqual(["slack", "teams", "discord", "cloudevents"]);
    for (const { transform } of body["data"]) await transformed(transform);
    const { event, receiver } = await transformed(body["data"][3].transform);
    await fireText(event, '{"n":1.0}');
    const [request] = await receiver.count(1);
    expect(request?.headers["content-type"]).toBe("application/cloudevents+json; charset=UTF-8");
    expect(request?.body).toContain('"data":{"n":1.0}');
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ specversion: "1.0", type: event, source: "/junction" });
  });
});
