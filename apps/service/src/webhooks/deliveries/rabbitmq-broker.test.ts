import { createServer, connect as connectSocket } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { SHOP, startRabbitmq, takenFrom } from "../../testing/rabbitmq.ts";
import type { Rabbitmq } from "../../testing/rabbitmq.ts";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
let broker: Rabbitmq;
beforeAll(async () => {
  [service, broker] = await Promise.all([startService({ env: UNLIMITED }), startRabbitmq()]);
  log = deliveryLog(service);
  await keep("broker_password", SHOP.password);
}, 300_000);
afterAll(async () => {
  await service.close();
  await broker.stop();
});

async function keep(name: string, value: string, hosts = ["127.0.0.1"]): Promise<void> {
  const { status } = await service.api("PUT", `/v1/secrets/${name}`, { value, hosts });
  expect([200, 201]).toContain(status);
}

const destination = (of: Parsed = {}): Parsed => ({
  url: `amqp://127.0.0.1:${broker.port}`,
  exchange: "orders",
  routing_key: "invoice.${event}",
  username: SHOP.username,
  secret_ref: "broker_password",
  ...of,
});

let events = 0;

/** Creates an endpoint of kind `rabbitmq` with an event of its own. */
async function endpoint(of: Parsed = {}, more: Parsed = {}) {
  events += 1;
  const event = `broker.event-${events}`;
  const body = { kind: "rabbitmq", destination: destination(of), events: [event], ...more };
  const made = await service.api("POST", "/v1/webhook-endpoints", body);
  expect(made.status).toBe(201);
  const path = `/v1/webhook-endpoints/${String(made.body["id"])}`;
  onTestFinished(async () => void (await service.api("DELETE", path)));
  return {
    path,
    made: made.body,
    async fire(data: unknown = { order: { id: "ord_1" } }, extra: Parsed = {}): Promise<string> {
      const fired = await service.api("POST", "/v1/events/fire", { event, data, ...extra });
      return String(fired.body["deliveries"][0]["id"]);
    },
  };
}

/** A way to the broker that the test can close and open again. */
async function startGate(port = broker.port) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connectSocket(port, "127.0.0.1");
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => void [socket.destroy(), onward.destroy()]);
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  onTestFinished(() => void [server.close(), ...[...sockets].map((one) => one.destroy())]);
  return {
    port: own,
    async shut(): Promise<void> {
      for (const one of sockets) one.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
    async reopen(): Promise<void> {
      server.listen(own, "127.0.0.1");
      await once(server, "listening");
    },
  };
}

const lastAttempt = async (id: string): Promise<Parsed> => (await log.attempts(id)).at(-1);

test("a confirmed message has the body and headers of a POST", async () => {
  const { made, fire } = await endpoint();
  expect(made).toMatchObject({
    kind: "rabbitmq",
    url: null,
    auth: null,
    max_in_flight: 16,
    name: `127.0.0.1:${broker.port}`,
  });
  const id = await fire({ amount: 12.5, name: "Zoë" });
  expect(await log.in(id, "delivered")).toMatchObject({
    light: "green",
    last_status_code: null,
    last_error_class: null,
  });
  expect(await lastAttempt(id)).toMatchObject({
    status_code: null,
    error_class: null,
    error_detail: null,
    resolved_ip: "127.0.0.1",
    response_snippet: expect.stringContaining("orders"),
  });
  const [message] = await takenFrom(broker, "invoices");
  const text = message?.content.toString() ?? "";
  expect(JSON.parse(text)).toMatchObject({ delivery_id: id, data: { amount: 12.5, name: "Zoë" } });
  const headers = message?.properties.headers as Record<string, string>;
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  expect(lower).toMatchObject({ "webhook-id": id, "x-service-delivery": id });
  expect(new Webhook(made["secret"]).verify(text, lower)).toMatchObject({ delivery_id: id });
  expect(message?.fields.routingKey).toBe(`invoice.${String(made["events"][0])}`);
});

test("another secret counts from the next attempt", async () => {
  await keep("wrong_password", "not-the-password");
  const { fire } = await endpoint({ secret_ref: "wrong_password" });
  const id = await fire();
  await log.attempted(id, 1);
  const first = await lastAttempt(id);
  expect(first).toMatchObject({ status_code: null, error_class: "broker", response_snippet: null });
  expect(first["error_detail"]).toMatch(/^sign_in: /);
  expect(JSON.stringify(first)).not.toContain("not-the-password");
  await keep("wrong_password", SHOP.password);
  await log.hurry();
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
});

test("what waits goes to the new destination", async () => {
  const { path, fire } = await endpoint({ exchange: "absent" });
  const id = await fire();
  await log.attempted(id, 1);
  expect((await lastAttempt(id))["error_detail"]).toMatch(/^(?:send|confirm): .*absent/);
  const changed = await service.api("PATCH", path, { destination: destination() });
  expect(changed.body["destination"]).toEqual(destination());
  await log.hurry();
  await log.in(id, "delivered");
});

test("a broker that was down gets the delivery when it is back", async () => {
  const gate = await startGate();
  const { fire, path } = await endpoint({ url: `amqp://127.0.0.1:${gate.port}` });
  await log.in(await fire(), "delivered");
  await gate.shut();
  const id = await fire();
  await log.attempted(id, 1);
  const failed = await lastAttempt(id);
  expect(failed).toMatchObject({ error_class: "broker", error_detail: expect.stringMatching(/^connect: /) });
  expect((await service.api("GET", path)).body).toMatchObject({ health: "amber" });
  await gate.reopen();
  await log.hurry();
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
  expect((await service.api("GET", path)).body).toMatchObject({ health: "green" });
});

test("a broker that never answers holds no other endpoint up", async () => {
  const silent = createServer();
  silent.on("connection", (socket) => socket.on("error", () => undefined));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const hung = await endpoint({ url: `amqp://127.0.0.1:${port}` });
  const stuck = await Promise.all(Array.from({ length: 40 }, async () => await hung.fire()));
  const healthy = await subscribe(service);
  const ids = await Promise.all(Array.from({ length: 20 }, async () => await healthy.fire()));
  for (const id of ids) await log.in(id, "delivered");
  await log.attempted(stuck[0] ?? "", 1);
  expect((await lastAttempt(stuck[0] ?? ""))["error_detail"]).toMatch(/^(?:connect|sign_in): /);
});

test("the guard judges the address of each connection", async () => {
  const { path, fire } = await endpoint();
  const elsewhere = JSON.stringify(destination({ url: "amqps://10.0.0.1:5671" }));
  const id = path.split("/").at(-1)?.split("_").at(-1);
  expect(id).toBeDefined();
  await service.database.query("update endpoint set destination = $1 where url = $2 and deleted_at is null", [
    elsewhere,
    destination()["url"],
  ]);
  await keep("broker_password", SHOP.password, ["127.0.0.1", "10.0.0.1"]);
  const delivery = await fire();
  await log.attempted(delivery, 1);
  expect((await lastAttempt(delivery))["error_detail"]).toMatch(/^guard: .*private/);
  const refused = await service.api("POST", "/v1/webhook-endpoints", {
    kind: "rabbitmq",
    events: ["*"],
    destination: JSON.parse(elsewhere),
  });
  expect(refused).toMatchObject({ status: 422, body: { code: "url_blocked", reason: "private" } });
});

test("the connection test names the failed step, and the tester shows the confirmation", async () => {
  const { path, made } = await endpoint();
  expect((await service.api("POST", `${path}/test-connection`)).body).toMatchObject({ ok: true, error: null });
  const sent = await service.api("POST", "/v1/webhooks/test", { endpoint_id: made["id"] });
  expect(sent.body).toMatchObject({ response: null, error: null, confirmation: expect.any(String) });
  await keep("other_password", "no");
  await service.api("PATCH", path, { destination: destination({ secret_ref: "other_password" }) });
  const failed = await service.api("POST", `${path}/test-connection`);
  expect(failed.body).toMatchObject({ ok: false, error: { step: "sign_in" } });
  expect(failed.body["steps"]).toContainEqual({ step: "connect", state: "passed" });
  const webhook = await subscribe(service);
  expect((await service.api("POST", `${webhook.path}/test-connection`)).status).toBe(409);
});

test("values of the event add no levels, and missing ones become underscores", async () => {
  const { fire } = await endpoint({ routing_key: "invoice.${$.data.region}.${subject}.${tenant}" });
  await takenFrom(broker, "invoices");
  await log.in(await fire({ region: "eu.west#*" }, { subject: "ord_7" }), "delivered");
  const [message] = await takenFrom(broker, "invoices");
  expect(message?.fields.routingKey).toBe("invoice.eu_west__.ord_7._");
});

test("an order holds for the messages of a broker", async () => {
  const { fire } = await endpoint({}, { ordering: { key: "subject" } });
  await takenFrom(broker, "invoices");
  const ids = [];
  for (let at = 0; at < 20; at += 1) ids.push(await fire({ at }, { subject: "one" }));
  for (const id of ids) await log.in(id, "delivered");
  const messages = await takenFrom(broker, "invoices");
  expect(messages.map(({ content }) => JSON.parse(content.toString())["data"]["at"])).toEqual(ids.map((_, at) => at));
});

test("a destination that cannot work is refused with pointers", async () => {
  const faults = async (body: Parsed): Promise<string[]> => {
    const { body: problem, status } = await service.api("POST", "/v1/webhook-endpoints", { events: ["*"], ...body });
    expect(status).toBe(422);
    return problem["errors"].map(({ pointer, code }: Parsed) => `${pointer} ${code}`);
  };
  const of = (destinationOf: Parsed, more: Parsed = {}): Parsed => ({
    kind: "rabbitmq",
    destination: destinationOf,
    ...more,
  });
  expect(await faults({ kind: "rabbitmq" })).toEqual(["/destination required"]);
  expect(await faults({ url: "https://example.com", destination: {} })).toEqual(["/destination not_for_webhook"]);
  expect(await faults(of(destination(), { url: "https://example.com" }))).toEqual(["/url not_for_broker"]);
  expect(await faults(of({ exchange: "orders" }))).toEqual([
    "/destination/url required",
    "/destination/routing_key required",
  ]);
  expect(await faults(of(destination({ topic: "x" })))).toEqual(["/destination/topic unknown"]);
  for (const url of [
    "amqp://u:p@127.0.0.1",
    "http://127.0.0.1",
    "amqp://127.0.0.1/a/b",
    "amqp://127.0.0.1:0",
    "amqp://h?x=1",
  ])
    expect(await faults(of(destination({ url })))).toEqual(["/destination/url url"]);
  expect(await faults(of(destination({ routing_key: "${nope}" })))).toEqual(["/destination/routing_key template"]);
  expect(await faults(of(destination({ secret_ref: "absent" })))).toEqual(["/destination/secret_ref secret_missing"]);
  await keep("elsewhere", "x", ["example.com"]);
  expect(await faults(of(destination({ secret_ref: "elsewhere" })))).toEqual(["/destination/secret_ref secret_host"]);
  const { path } = await endpoint();
  expect(await service.api("PATCH", path, { kind: "webhook" })).toMatchObject({ status: 422 });
  expect(await service.api("PATCH", path, { url: "https://example.com" })).toMatchObject({ status: 422 });
  expect(await service.api("PATCH", path, { destination: null })).toMatchObject({ status: 422 });
});

test("a tenant neither sets nor sees a destination", async () => {
  const { made } = await endpoint({}, { tenant: "acme" });
  const { key } = await mintKey(service, { tenant: "acme" });
  const credential = { key };
  const seen = await service.api("GET", `/v1/webhook-endpoints/${String(made["id"])}`, undefined, credential);
  expect(seen.body).toMatchObject({ kind: "rabbitmq", destination: null, url: null });
  const body = { kind: "rabbitmq", events: ["*"], destination: destination() };
  const refused = await service.api("POST", "/v1/webhook-endpoints", body, credential);
  expect(refused.body["errors"]).toMatchObject([{ pointer: "/destination", code: "tenant" }]);
  const tested = await service.api(
    "POST",
    `/v1/webhook-endpoints/${String(made["id"])}/test-connection`,
    undefined,
    credential,
  );
  expect(tested.status).toBe(403);
});

test("a node of the version before could send nothing to the stored address", async () => {
  await endpoint();
  const [row] = await service.database.query(
    "select url, max_in_flight from endpoint where kind = 'rabbitmq' and deleted_at is null limit 1",
  );
  expect(row).toEqual({ url: destination()["url"], max_in_flight: -16 });
});
