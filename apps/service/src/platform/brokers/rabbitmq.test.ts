import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hide } from "../../lib/lib.ts";
import type { BrokerConnection } from "./broker.ts";
import { rabbitmq } from "./rabbitmq.ts";
import type { RabbitmqDestination } from "./rabbitmq.ts";
import { failureOf, messageOf, testDeps } from "../../testing/broker-deps.ts";
import { MAX_MESSAGE_BYTES, READER, SHOP, startRabbitmq, takenFrom } from "../../testing/rabbitmq.ts";
import type { Rabbitmq } from "../../testing/rabbitmq.ts";

let broker: Rabbitmq;
beforeAll(async () => {
  broker = await startRabbitmq();
}, 300_000);
afterAll(async () => {
  await broker.stop();
});

const WITHIN_MS = 15_000;
const password = hide(SHOP.password);
const opened: BrokerConnection[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (each) => await each.close()));
});

const destination = (of: Partial<RabbitmqDestination> = {}): RabbitmqDestination => ({
  url: `amqp://broker.test:${broker.port}`,
  exchange: "orders",
  routing_key: "invoice.paid",
  username: SHOP.username,
  ...of,
});

async function opening(of: Partial<RabbitmqDestination> = {}, withinMs = WITHIN_MS, secret = password) {
  const { deps } = testDeps(broker.ca);
  const connection = await rabbitmq.open(deps, destination(of), secret, withinMs);
  opened.push(connection);
  return connection;
}

test("a confirmed message is in the queue with its body, headers and properties", async () => {
  const connection = await opening();
  const body = Buffer.from([0, 1, 2, 255]);
  const headers = { "content-type": "application/json", "webhook-id": "evt_1", traceparent: "00-ü" };
  const confirmation = await connection.send(messageOf({ path: "invoice.paid", headers, body }), WITHIN_MS);
  expect(confirmation).toEqual({
    text: "confirmed by the exchange orders in the vhost /",
    address: `127.0.0.1:${broker.port}`,
  });
  const [message, ...others] = await takenFrom(broker, "invoices");
  expect(others).toEqual([]);
  expect(message?.content).toEqual(body);
  expect(message?.fields).toMatchObject({ exchange: "orders", routingKey: "invoice.paid" });
  expect(message?.properties).toMatchObject({
    contentType: "application/json",
    messageId: "dlv_1",
    deliveryMode: 2,
    headers,
  });
});

test("TLS checks the name, and a vhost with a slash is percent-encoded", async () => {
  const url = `amqps://broker.test:${broker.tlsPort}`;
  await opening({ url });
  await opening({ url: `${url}/eu%2F1`, exchange: "amq.topic" });
  await opening({ url: `${url}/`, exchange: "" });
  expect(await failureOf(opening({ url: `amqps://other.test:${broker.tlsPort}` }))).toContain("tls: ");
});

test("many messages at once and one of 200 000 bytes are each confirmed", async () => {
  const connection = await opening();
  const count = 3000;
  const sent = Array.from(
    { length: count },
    async (_, at) =>
      await connection.send(
        messageOf({ id: `dlv_${at}`, path: "invoice.paid", body: Buffer.from(String(at)) }),
        WITHIN_MS,
      ),
  );
  const large = Buffer.alloc(200_000, "x");
  await Promise.all([...sent, connection.send(messageOf({ path: "invoice.large", body: large }), WITHIN_MS)]);
  const messages = await takenFrom(broker, "invoices");
  expect(messages.slice(0, count).map(({ content }) => content.toString())).toEqual(
    Array.from({ length: count }, (_, at) => String(at)),
  );
  expect(messages.at(-1)?.content).toEqual(large);
});

test("a message that no queue takes fails, and its neighbours are confirmed", async () => {
  const connection = await opening();
  const results = await Promise.all([
    connection.send(messageOf({ id: "dlv_1", path: "invoice.paid" }), WITHIN_MS),
    failureOf(connection.send(messageOf({ id: "dlv_2", path: "refund.paid" }), WITHIN_MS)),
    connection.send(messageOf({ id: "dlv_3", path: "invoice.paid" }), WITHIN_MS),
  ]);
  expect(results[1]).toBe(
    "confirm: No queue takes the message (NO_ROUTE). Bind a queue to the exchange orders in the vhost / for this routing key, or give it an alternate exchange.",
  );
  expect((await takenFrom(broker, "invoices")).map(({ properties }) => properties.messageId as string)).toEqual([
    "dlv_1",
    "dlv_3",
  ]);
});

test("an alternate exchange takes what no queue of the exchange takes", async () => {
  const connection = await opening({ exchange: "caught" });
  await connection.send(messageOf({ path: "refund.paid" }), WITHIN_MS);
  expect(await takenFrom(broker, "leftovers")).toHaveLength(1);
});

test("a queue that is full refuses the message, and the connection stays", async () => {
  const connection = await opening({ exchange: "" });
  await connection.send(messageOf({ path: "full" }), WITHIN_MS);
  expect(await failureOf(connection.send(messageOf({ path: "full" }), WITHIN_MS))).toContain("A queue may be full");
  expect(connection.isUsable).toBe(true);
});

test("the default exchange reaches a queue by its name", async () => {
  const connection = await opening({ exchange: "" });
  await connection.send(messageOf({ path: "invoices" }), WITHIN_MS);
  expect(await takenFrom(broker, "invoices")).toHaveLength(1);
});

test("a secret without a user name has both", async () => {
  const { username, ...rest } = destination();
  const { deps } = testDeps();
  const both = await rabbitmq.open(deps, rest, hide(`${username}:${SHOP.password}`), WITHIN_MS);
  await both.close();
  expect(await failureOf(rabbitmq.open(deps, rest, hide("of-the-shop"), WITHIN_MS))).toContain(
    "of the form user:password",
  );
});

test.each([
  ["a wrong password", {}, hide("wrong"), "sign_in: RabbitMQ refused the user shop or the password."],
  [
    "a missing vhost",
    { vhost: "/none" },
    password,
    "sign_in: RabbitMQ refused the vhost none: NOT_ALLOWED - vhost none not found.",
  ],
  ["a missing exchange", { exchange: "none" }, password, "send: There is no exchange none in the vhost /."],
])(
  "%s fails with a sentence that says what to do",
  async (_name, { vhost = "", ...of }: { vhost?: string; exchange?: string }, secret, sentence) => {
    const { deps, openSockets } = testDeps();
    const url = `amqp://broker.test:${broker.port}${vhost}`;
    expect(await failureOf(rabbitmq.open(deps, destination({ url, ...of }), secret, WITHIN_MS))).toContain(sentence);
    await expect.poll(openSockets).toEqual([]);
  },
);

test("a user without the permission to write is reported", async () => {
  const connection = await opening({ username: READER.username }, WITHIN_MS, hide(READER.password));
  expect(await failureOf(connection.send(messageOf({ path: "invoice.paid" }), WITHIN_MS))).toContain(
    "confirm: The user reader may not write to the exchange orders in the vhost /",
  );
  expect(connection.isUsable).toBe(false);
});

test("a message that is too large fails alone", async () => {
  const connection = await opening();
  const large = connection.send(
    messageOf({ path: "invoice.paid", body: Buffer.alloc(MAX_MESSAGE_BYTES + 1) }),
    WITHIN_MS,
  );
  const small = connection.send(messageOf({ path: "invoice.paid" }), WITHIN_MS);
  expect(await Promise.all([failureOf(large), failureOf(small)])).toEqual([
    expect.stringContaining(
      `RabbitMQ refused the message: PRECONDITION_FAILED - message size ${MAX_MESSAGE_BYTES + 1} is larger`,
    ),
    expect.stringContaining("RabbitMQ refused another message"),
  ]);
  expect(connection.isUsable).toBe(false);
});

test("a routing key or header beyond AMQP's limits fails, and the connection stays", async () => {
  const connection = await opening();
  const headers = { "x-service-note": "x".repeat(140_000) };
  expect(await failureOf(connection.send(messageOf({ path: "x".repeat(256) }), WITHIN_MS))).toContain(
    "send: AMQP allows 255 bytes",
  );
  expect(await failureOf(connection.send(messageOf({ headers }), WITHIN_MS))).toContain("send: The headers have 140");
  await connection.send(messageOf({ path: "invoice.paid" }), WITHIN_MS);
});

test("ports of other protocols are named", async () => {
  expect(await failureOf(opening({ url: `amqp://broker.test:${broker.tlsPort}` }))).toContain(
    "connect: The port speaks TLS",
  );
});

test("a broker that is short of memory takes no messages, and says so", async () => {
  const connection = await opening();
  await broker.ctl("set_vm_memory_high_watermark", "0");
  try {
    const first = failureOf(connection.send(messageOf({ path: "invoice.paid" }), 3000));
    await sleep(1000);
    const second = failureOf(connection.send(messageOf({ path: "invoice.paid" }), 1500));
    expect(await Promise.all([first, second])).toEqual([
      expect.stringContaining("confirm: RabbitMQ takes no messages now (low on memory)"),
      expect.stringContaining("confirm: RabbitMQ takes no messages now (low on memory)"),
    ]);
    expect(connection.isUsable).toBe(false);
  } finally {
    await broker.ctl("set_vm_memory_high_watermark", "0.4");
  }
  await takenFrom(broker, "invoices");
});

test("a queue that is gone while the connection is open ends in a sentence", async () => {
  const connection = await opening({ url: `amqp://broker.test:${broker.port}/eu%2F1`, exchange: "amq.topic" });
  await broker.ctl("delete_vhost", "eu/1");
  await expect.poll(() => connection.isUsable).toBe(false);
  expect(await failureOf(connection.send(messageOf(), WITHIN_MS))).toContain("confirm: RabbitMQ ended the connection");
});

test("a broker that is killed fails what waits, and nothing stays open", async () => {
  const { deps, openSockets } = testDeps();
  const connection = await rabbitmq.open(deps, destination(), password, WITHIN_MS);
  const waiting = Array.from(
    { length: 500 },
    async (_, at) => await failureOf(connection.send(messageOf({ id: `dlv_${at}`, path: "invoice.paid" }), WITHIN_MS)),
  );
  await broker.kill();
  for (const failure of await Promise.all(waiting))
    expect(failure).toMatch(/^it did not fail$|confirm: The connection ended before RabbitMQ confirmed the message/);
  await expect.poll(() => connection.isUsable).toBe(false);
  await connection.close();
  expect(openSockets()).toEqual([]);
  expect(await failureOf(opening())).toContain("connect: ");
});
