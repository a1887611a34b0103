import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hide } from "../../lib/lib.ts";
import { failureOf, messageOf, testDeps } from "../../testing/broker-deps.ts";
import { damaged, listening, recording, replaying } from "../../testing/hostile-broker.ts";
import { startNats } from "../../testing/nats.ts";
import { SHOP, startRabbitmq } from "../../testing/rabbitmq.ts";
import type { BrokerConnection, BrokerDeps } from "./broker.ts";
import { nats } from "./nats.ts";
import { rabbitmq } from "./rabbitmq.ts";

const WITHIN_MS = 10_000;
/** The time that a damaged conversation may take, so that hundreds of them do not wait long. */
const SHORT_MS = 60;
const ATTACKS = 150;

type Open = (deps: BrokerDeps, port: number, withinMs: number) => Promise<BrokerConnection>;

const toRabbitmq: Open = async (deps, port, withinMs) => {
  const destination = {
    url: `amqp://broker.test:${port}`,
    exchange: "orders",
    routing_key: "",
    username: SHOP.username,
  };
  return await rabbitmq.open(deps, destination, hide(SHOP.password), withinMs);
};
const toNats: Open = async (deps, port, withinMs) => {
  const destination = { servers: [`nats://broker.test:${port}`], subject: "orders.paid", jetstream: false };
  return await nats.open(deps, destination, null, withinMs);
};
const message = messageOf({ path: "invoice.paid" });

interface Kind {
  readonly open: Open;
  readonly greets: boolean;
  readonly port: () => number;
}

let ports = { rabbitmq: 0, nats: 0 };
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  const [one, other] = await Promise.all([startRabbitmq(), startNats("")]);
  running.push(one, other);
  ports = { rabbitmq: one.port, nats: other.port };
}, 300_000);
afterAll(async () => {
  await Promise.all(running.map(async (each) => await each.stop()));
});

const KINDS: readonly (readonly [string, Kind])[] = [
  ["RabbitMQ", { open: toRabbitmq, greets: false, port: () => ports.rabbitmq }],
  ["NATS", { open: toNats, greets: true, port: () => ports.nats }],
];

/** Opens and sends, and returns why that failed. The connection is closed at the end in any case. */
async function attempt(open: Open, deps: BrokerDeps, port: number): Promise<string> {
  return await failureOf(
    (async () => {
      const connection = await open(deps, port, SHORT_MS);
      try {
        await Promise.all([connection.send(message, SHORT_MS), connection.send(message, SHORT_MS)]);
      } finally {
        await connection.close();
      }
    })(),
  );
}

/** Returns the number of timers that keep the process alive, besides this one's own. */
async function timersLeft(): Promise<number> {
  await sleep(20);
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

test.each(KINDS)("%s: what a broker says can be damaged anywhere, and nothing leaks", async (_name, kind) => {
  const recorder = await recording(kind.port());
  const { deps, openSockets } = testDeps();
  const honest = await kind.open(deps, recorder.port, WITHIN_MS);
  await honest.send(message, WITHIN_MS);
  await honest.close();
  await recorder.close();
  const before = await timersLeft();
  for (let seed = 0; seed < ATTACKS; seed += 1) {
    const listener = await listening(replaying(damaged(recorder.said, seed), kind.greets));
    const failure = await attempt(kind.open, deps, listener.port);
    expect(failure, `seed ${seed}`).toMatch(/^it did not fail$|^(?:connect|sign_in|send|confirm): /);
    await listener.close();
  }
  await expect.poll(openSockets).toEqual([]);
  expect(await timersLeft()).toBeLessThanOrEqual(before);
});

test.each(KINDS)("%s: a port that sends rubbish is not taken for such a broker", async (_name, { open }) => {
  const { deps, openSockets } = testDeps();
  const greetings = [
    Buffer.from("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
    Buffer.from("SSH-2.0-OpenSSH_9.2\r\n"),
    Buffer.from("220 mail.example ESMTP\r\n"),
    Buffer.from("INFO {nonsense\r\n"),
    Buffer.from("AMQP\u0000\u0001\u0000\u0000", "latin1"),
    Buffer.from([0x15, 0x03, 0x01, 0, 2, 2, 70]),
    Buffer.alloc(300_000, 0x61),
    randomBytes(4096),
  ];
  for (const greeting of greetings) {
    const listener = await listening((socket) => void socket.end(greeting));
    expect(await failureOf(open(deps, listener.port, WITHIN_MS))).toMatch(
      /^connect: .*(?:Check the port|Use amqps|AMQP 1\.0)/,
    );
    await listener.close();
  }
  await expect.poll(openSockets).toEqual([]);
});

test.each(KINDS)("%s: a broker that sends without end, in single bytes, is left in time", async (_name, { open }) => {
  const { deps, openSockets } = testDeps();
  for (const first of [Buffer.from([1]), Buffer.from("INFO ")]) {
    const listener = await listening((socket) => {
      socket.write(first);
      const timer = setInterval(() => socket.write("\u0000"), 1);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(open(deps, listener.port, 300))).toMatch(/^(?:connect|sign_in): /);
    await listener.close();
  }
  await expect.poll(openSockets).toEqual([]);
});

test.each(KINDS)("%s: a broker that never confirms is left, and its backlog with it", async (_name, kind) => {
  const recorder = await recording(kind.port());
  const { deps, openSockets } = testDeps();
  const honest = await kind.open(deps, recorder.port, WITHIN_MS);
  const said = [...recorder.said];
  await honest.close();
  await recorder.close();
  const listener = await listening(replaying(said, kind.greets));
  const connection = await kind.open(deps, listener.port, WITHIN_MS);
  const failures = Array.from(
    { length: 100 },
    async (_, at) => await failureOf(connection.send({ ...message, id: String(at) }, 200 + at)),
  );
  for (const failure of await Promise.all(failures))
    expect(failure).toMatch(/^confirm: .*did not confirm the message within 0\.[0-9] s/);
  expect(connection.isUsable).toBe(false);
  expect(await failureOf(connection.send(message, 200))).toMatch(/^confirm: /);
  await connection.close();
  await expect.poll(openSockets).toEqual([]);
  await listener.close();
});

test.each(KINDS)(
  "%s: a broker's text is shown without the secret and without control characters",
  async (_name, { open }) => {
    const secret = SHOP.password;
    const listener = await listening((socket) => void socket.end(`-ERR '${secret}\u001b[31m'\r\n`));
    const { deps } = testDeps();
    const failure = await failureOf(open(deps, listener.port, WITHIN_MS));
    expect(failure).not.toContain("\u001b");
    await listener.close();
  },
);

test.each(KINDS)("%s: closing while messages wait fails them, and closing twice is harmless", async (_name, kind) => {
  const { deps, openSockets } = testDeps();
  const connection = await kind.open(deps, kind.port(), WITHIN_MS);
  const waiting = Array.from({ length: 50 }, async () => await failureOf(connection.send(message, WITHIN_MS)));
  await sleep(0);
  await Promise.all([connection.close(), connection.close()]);
  for (const failure of await Promise.all(waiting)) expect(failure).toMatch(/^it did not fail$|^confirm: /);
  expect(await failureOf(connection.send(message, WITHIN_MS))).toMatch(/^confirm: /);
  expect(openSockets()).toEqual([]);
});
