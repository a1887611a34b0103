import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { BrokerConnection } from "./broker.ts";
import { kafka } from "./kafka.ts";
import { failureOf, messageOf } from "../../testing/broker-deps.ts";
import { guardedDeps } from "../../testing/guarded-broker-deps.ts";
import type { GuardedDeps } from "../../testing/guarded-broker-deps.ts";
import { startKafka, whyNoKafka } from "../../testing/kafka.ts";
import type { Kafka } from "../../testing/kafka.ts";

const missing = await whyNoKafka();
const WITHIN_MS = 60_000;
const SHORT_MS = 1500;

// The tests change the cluster for those after them: the last one has no broker left.
describe.skipIf(missing !== undefined)("a Kafka cluster of two brokers", () => {
  let cluster: Kafka;
  let deps: GuardedDeps;
  const opened: BrokerConnection[] = [];

  beforeAll(async () => {
    cluster = await startKafka(2);
    deps = await guardedDeps(cluster.ca);
    // The second broker is in the cluster when a topic can have two replicas.
    const isReady = async (): Promise<boolean> =>
      (await failureOf(cluster.peer("create", "ready", 1, 2, ""))) === "it did not fail";
    await vi.waitUntil(isReady, { timeout: 60_000, interval: 500 });
  }, 300_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (each) => await each.close()));
    await vi.waitUntil(() => deps.openSockets() === 0);
  });
  afterAll(async () => {
    await deps.close();
    await cluster.stop();
  });

  async function opening(topic: string) {
    const brokers = cluster.nodes.map(({ ports }) => `bootstrap.test:${ports.plain}`);
    const connection = await kafka.open(deps, { brokers, topic, tls: false, sasl: null }, null, WITHIN_MS);
    opened.push(connection);
    return connection;
  }

  const bodies = async (topic: string, count: number): Promise<string[]> =>
    (await cluster.peer("read", topic, count)).map(([, , , , body = ""]) => Buffer.from(body, "base64").toString());

  const send = async (connection: BrokerConnection, body: string, withinMs = WITHIN_MS) =>
    await connection.send(messageOf({ body: Buffer.from(body), key: "k" }), withinMs);

  async function led(topic: string, leader: number): Promise<void> {
    await cluster.peer("move", topic, 0, leader);
    await expect
      .poll(async () => (await cluster.peer("leader", topic, 0))[0]?.[0], { timeout: 30_000 })
      .toBe(`${leader}`);
  }

  test("a message follows its partition to another leader", async () => {
    await cluster.peer("create", "moving", 1, 1, "");
    await led("moving", 1);
    const connection = await opening("moving");
    await send(connection, "1");
    await led("moving", 2);
    await send(connection, "2");
    expect(deps.dialed).toContain(`kafka-2.test:${cluster.nodes[1]?.ports.plain}`);
    expect(await bodies("moving", 2)).toEqual(["1", "2"]);
  });

  test("a broker that stops answering fails its messages in time, and others continue", async () => {
    await cluster.peer("create", "stopping", 1, 1, "");
    await led("stopping", 2);
    const connection = await opening("stopping");
    await send(connection, "1");
    await cluster.nodes[1]?.pause();
    try {
      const failed = await failureOf(send(connection, "lost?", SHORT_MS));
      expect(failed).toMatch(/^confirm: .*did not confirm the message.*it may have arrived/);
      // The kernel accepts a new connection for it, which it never answers.
      const second = await failureOf(send(connection, "lost?", SHORT_MS));
      expect(second).toMatch(/^(confirm|sign_in|connect|send): /);
    } finally {
      cluster.nodes[1]?.resume();
    }
    await expect
      .poll(async () => await failureOf(send(connection, "2", SHORT_MS)), { timeout: 60_000 })
      .toBe("it did not fail");
    expect(connection.isUsable).toBe(true);
  });

  test("messages survive the death of a leader under load", async () => {
    await cluster.peer("create", "dying", 1, 2, "");
    await cluster.peer("create", "strict", 1, 2, "min.insync.replicas=2");
    await cluster.peer("move", "dying", 0, "2,1");
    // Another order of the same replicas moves no leader by itself.
    const elected = async (): Promise<unknown> => {
      await cluster.peer("elect", "dying", 0);
      return (await cluster.peer("leader", "dying", 0))[0];
    };
    await expect.poll(elected, { timeout: 30_000 }).toEqual(["2", "2"]);
    const connection = await opening("dying");
    await send(connection, "0");
    const sent = Array.from({ length: 200 }, async (_, index) => await send(connection, `${index + 1}`));
    await cluster.nodes[1]?.kill();
    await Promise.all(sent);
    await send(connection, "last");
    const found = await bodies("dying", 202);
    expect(new Set(found)).toEqual(new Set([...Array.from({ length: 201 }, (_, index) => `${index}`), "last"]));
  });

  test("too few in-sync replicas are a refusal that names them", async () => {
    await expect.poll(async () => (await cluster.peer("leader", "strict", 0))[0]?.[1], { timeout: 60_000 }).toBe("1");
    const connection = await opening("strict");
    expect(await failureOf(send(connection, "1"))).toContain(
      "send: strict[0] has fewer in-sync replicas than min.insync.replicas",
    );
  });

  test("a partition without a leader is named by the other broker", async () => {
    const connection = await opening("stopping");
    expect(await failureOf(send(connection, "1", SHORT_MS))).toMatch(/No broker leads stopping\[0\] now|kafka-2\.test/);
    expect(connection.isUsable).toBe(true);
  });

  test("a cluster that is gone fails at once, and the connection says so", async () => {
    const connection = await opening("dying");
    await send(connection, "before");
    const sent = failureOf(send(connection, "during"));
    await cluster.nodes[0]?.kill();
    expect(await sent).toMatch(/^confirm: The broker at kafka-1\.test:\d+ ended the connection|^it did not fail/);
    await expect.poll(() => connection.isUsable).toBe(false);
    expect(await failureOf(send(connection, "after"))).toMatch(/^connect: .*There is no connection to/);
    expect(await failureOf(opening("dying"))).toMatch(/^connect: There is no connection to bootstrap\.test/);
  });
});
