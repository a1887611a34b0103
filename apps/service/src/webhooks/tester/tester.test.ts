import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver?.close();
  await service?.close();
});

const PATH = "/v1/webhooks/test";

async function send(body: unknown): Promise<ApiAnswer> {
  return await service.api("POST", PATH, body);
}

function hmac(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

function last(): Receiver["received"][number] {
  const one = receiver.received.at(-1);
  if (one === undefined) throw new Error("nothing was received");
  return one;
}

covers("tester.api.send", "a test sends one signed sample of the endpoint's first named event", async () => {
  const endpoint = await service.endpoint(receiver.url, { events: ["invoice.paid", "order.created"] });
  const before = receiver.received.length;
  const answer = await send({ endpoint_id: endpoint.id });
  expect(answer.status).toBe(200);
  expect(receiver.received).toHaveLength(before + 1);
  const { headers, body, method } = last();
  expect(method).toBe("POST");
  expect(headers).toMatchObject({
    "x-service-event": "invoice.paid",
    "x-service-delivery": answer.body["delivery_id"],
    "content-type": "application/json",
  });
  expect(headers["x-service-signature"]).toBe(hmac(endpoint.secret, body));
  const envelope = JSON.parse(body) as Record<string, unknown>;
  expect(envelope).toMatchObject({
    event: "invoice.paid",
    type: "invoice.paid",
    delivery_id: answer.body["delivery_id"],
    environment: "live",
  });
  const type = await service.api("GET", "/v1/event-types/invoice.paid");
  expect(envelope["data"]).toEqual(type.body["example"]);
});

covers(
  "tester.result.fields",
  "the result shows the sent bytes, their signature and the receiver's status",
  async () => {
    const endpoint = await service.endpoint(receiver.url);
    receiver.answer((response) => response.writeHead(418, { "X-Kettle": "on" }).end("short and stout"));
    const { body } = await send({ endpoint_id: endpoint.id });
    receiver.status(200);
    const got = last();
    expect(body).toMatchObject({
      object: "webhook_test",
      dry_run: false,
      request: { method: "POST", url: receiver.url, body: got.body },
      signature: got.headers["x-service-signature"],
      string_to_sign: got.body,
      response: { status: 418, headers: { "x-kettle": "on" }, body_snippet: "short and stout" },
      error: null,
    });
    expect(body["response"].latency_ms).toBeGreaterThan(0);
    expect(body["signature"]).toBe(hmac(endpoint.secret, body["string_to_sign"]));
    expect(body).not.toHaveProperty("secret");
    for (const [name, value] of Object.entries<string>(body["request"].headers))
      expect(got.headers[name.toLowerCase()]).toBe(value);
  },
);

covers("tester.api.dry-run", "a dry run returns the signed request and sends nothing", async () => {
  const endpoint = await service.endpoint(receiver.url);
  const before = receiver.received.length;
  const { status, body } = await send({ endpoint_id: endpoint.id, event: "ticket.created", dry_run: true });
  expect(status).toBe(200);
  expect(body).toMatchObject({ dry_run: true, response: null, error: null });
  expect(body["signature"]).toBe(hmac(endpoint.secret, body["request"].body));
  expect(JSON.parse(body["request"].body)).toMatchObject({ event: "ticket.created" });
  expect(receiver.received).toHaveLength(before);
});

test("a test's data reaches the receiver byte for byte", async () => {
  const endpoint = await service.endpoint(receiver.url);
  const data = '{"n":12345678901234567890,  "z":-0, "e":1e400,"__proto__":{"a":"\\u0000"}, "b":1,"a":2}';
  const { status } = await send(`{"endpoint_id":"${endpoint.id}","event":"my.own","data":${data}}`);
  expect(status).toBe(200);
  expect(last().body).toContain(`,"data":${data},"signature":"sha256=`);
});

test("a test of a URL is signed with a throwaway secret that is shown", async () => {
  const first = await send({ url: receiver.url });
  expect(first.body["secret"]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(last().headers["x-service-signature"]).toBe(hmac(first.body["secret"], last().body));
  expect(last().headers["x-service-event"]).toBe("order.created");
  const second = await send({ url: receiver.url, dry_run: true });
  expect(second.body["secret"]).not.toBe(first.body["secret"]);
});

test("an unsafe URL is refused, also in a dry run, and nothing is sent", async () => {
  for (const dry_run of [true, false]) {
    expect((await send({ url: "https://10.0.0.1/hook", dry_run })).body).toMatchObject({
      status: 422,
      code: "url_blocked",
      reason: "private",
    });
    expect((await send({ url: "http://10.0.0.1/hook", dry_run })).body).toMatchObject({
      status: 422,
      code: "url_blocked",
      reason: "not_https",
    });
  }
});

test("a receiver without a status line is reported as an error in the result", async () => {
  const gone = await startReceiver();
  await gone.close();
  const { status, body } = await send({ url: gone.url });
  expect(status).toBe(200);
  expect(body).toMatchObject({ response: null, error: { class: "connect" } });
});

test("tests are not retried or logged and also reach an inactive endpoint", async () => {
  const own = await startService();
  try {
    receiver.status(500);
    const endpoint = await own.endpoint(receiver.url, { active: false });
    const before = receiver.received.length;
    const { body } = await own.api("POST", PATH, { endpoint_id: endpoint.id });
    expect(body).toMatchObject({ response: { status: 500 }, error: null });
    expect((await own.api("GET", "/v1/deliveries")).body["data"]).toEqual([]);
    expect((await own.api("GET", "/v1/events")).body["data"]).toEqual([]);
    expect((await own.api("GET", `/v1/deliveries/${body["delivery_id"]}`)).status).toBe(404);
    expect((await own.api("GET", `/v1/webhook-endpoints/${endpoint.id}`)).body).toMatchObject({
      active: false,
      failing_since: null,
    });
    expect(receiver.received).toHaveLength(before + 1);
  } finally {
    receiver.status(200);
    await own.close();
  }
});

test("an endpoint's own headers are sent, and their values are not shown", async () => {
  const endpoint = await service.endpoint(receiver.url, { headers: { Authorization: "Bearer their-secret" } });
  const { text, body } = await send({ endpoint_id: endpoint.id });
  expect(last().headers.authorization).toBe("Bearer their-secret");
  expect(body["request"].headers).toMatchObject({ Authorization: "[redacted]" });
  expect(text).not.toContain("their-secret");
});

test("a test needs exactly one endpoint or URL, and a well-formed event", async () => {
  const both = await send({ url: receiver.url, endpoint_id: (await service.endpoint(receiver.url)).id, event: "a..b" });
  expect(both.body).toMatchObject({ status: 422, code: "validation_failed" });
  expect(both.body["errors"].map((error: { pointer: string }) => error.pointer)).toEqual(["", "/event"]);
  expect((await send({})).body).toMatchObject({ code: "validation_failed" });
  expect((await send({ url: receiver.url, data: [] })).body).toMatchObject({ code: "validation_failed" });
  expect((await send({ endpoint_id: "ep_nonsense" })).body).toMatchObject({ status: 404, code: "not_found" });
});

covers("idempotency.op.webhooks-test", "a repeated test with one idempotency key is sent once", async () => {
  const before = receiver.received.length;
  const headers = { "Idempotency-Key": "test-once" };
  const first = await service.api("POST", PATH, { url: receiver.url }, { headers });
  const second = await service.api("POST", PATH, { url: receiver.url }, { headers });
  expect(first.status).toBe(200);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(second.text).toBe(first.text);
  expect(receiver.received).toHaveLength(before + 1);
});

covers("limit.rate.webhooks-test", "a key can send 60 tests a minute, including dry runs", async () => {
  const statuses: number[] = [];
  for (let call = 0; call < 61; call += 1) {
    const answer = await service.api("POST", PATH, { url: receiver.url, dry_run: true }, { key: service.sandboxKey });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
});
