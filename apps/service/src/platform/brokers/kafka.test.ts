import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { hide } from "../../lib/lib.ts";
import type { BrokerConnection } from "./broker.ts";
import { kafka } from "./kafka.ts";
import { partitionOf } from "./kafka/partition.ts";
import { failureOf, messageOf } from "../../testing/broker-deps.ts";
import { guardedDeps } from "../../testing/guarded-broker-deps.ts";
import type { GuardedDeps } from "../../testing/guarded-broker-deps.ts";
import { ALICE, BOB, MALLORY, SIGN_IN_HOLDS_MS, startKafka, whyNoKafka } from "../../testing/kafka.ts";
import type { Kafka, KafkaPorts } from "../../testing/kafka.ts";

const missing = await whyNoKafka();
const WITHIN_MS = 30_000;
const password = hide(ALICE.password);
const signIn = (mechanism: "plain" | "scram-sha-256" | "scram-sha-512", username: string = ALICE.username) => ({
  mechanism,
  username,
  secret_ref: "kafka",
});

describe.skipIf(missing !== undefined)("a Kafka broker", () => {
  let cluster: Kafka;
  let deps: GuardedDeps;
  const opened: BrokerConnection[] = [];
  let topicCount = 0;

  beforeAll(async () => {
    cluster = await startKafka();
    deps = await guardedDeps(cluster.ca);
  }, 300_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (each) => await each.close()));
    await vi.waitUntil(() => deps.openSockets() === 0);
  });
  afterAll(async () => {
    await deps.close();
    await cluster.stop();
  });

  const port = (name: keyof KafkaPorts): number => cluster.nodes[0]?.ports[name] ?? 0;

  async function topicWith(partitions: number, settings = ""): Promise<string> {
    topicCount += 1;
    const topic = `orders-${topicCount}`;
    await cluster.peer("create", topic, partitions, 1, settings);
    return topic;
  }

  async function opening(topic: string, of: Partial<Parameters<typeof kafka.open>[1]> = {}, secret = password) {
    const brokers = [`bootstrap.test:${port("plain")}`];
    const connection = await kafka.open(deps, { brokers, topic, tls: false, sasl: null, ...of }, secret, WITHIN_MS);
    opened.push(connection);
    return connection;
  }

  /** The records that Kafka's Java client reads: the partition, the key, the body and the headers of each record. */
  async function read(topic: string, count: number) {
    const lines = await cluster.peer("read", topic, count);
    return lines.map(([partition, offset, , key = "", body = "", headers = ""]) => ({
      partition: Number(partition),
      offset: Number(offset),
      key: key === "-" ? null : Buffer.from(key, "base64").toString(),
      body: Buffer.from(body, "base64"),
      headers: headers.split(",").map((one) => {
        const at = one.indexOf("=");
        return [one.slice(0, at), Buffer.from(one.slice(at + 1), "base64").toString()];
      }),
    }));
  }

  test("Kafka's own client reads each byte and each header, in their order", async () => {
    const topic = await topicWith(1);
    const connection = await opening(topic);
    const headers = { "content-type": "application/json", "webhook-id": "evt_ü", empty: "" };
    const bodies = [Buffer.from([0, 1, 2, 253, 254, 255]), Buffer.alloc(0), Buffer.alloc(700_000, "x")];
    for (const [index, body] of bodies.entries()) {
      const confirmed = await connection.send(messageOf({ headers, body, key: index === 0 ? "k" : null }), WITHIN_MS);
      expect(confirmed).toEqual({ text: `${topic}[0] at offset ${index}`, address: "127.0.0.1" });
    }
    const records = await read(topic, 3);
    expect(records.map(({ body }, index) => bodies[index]?.equals(body))).toEqual([true, true, true]);
    expect(records.map(({ key }) => key)).toEqual(["k", null, null]);
    expect(records[0]?.headers).toEqual(Object.entries(headers));
  });

  test("a key has the partition that Kafka's Java client gives it", async () => {
    const keys = ["", "a", "ab", "abc", "abcd", "customer-7", "ünïcode ✓", "x".repeat(300), "0", "-1"];
    for (const key of keys) {
      for (const count of [1, 3, 12, 1000]) {
        const [[expected] = []] = await cluster.peer("partition", Buffer.from(key).toString("base64"), count);
        expect(partitionOf(key, count), `${key} of ${count}`).toBe(Number(expected));
      }
    }
  });

  test("messages of the same moment are sent together, each confirmed by itself", async () => {
    const topic = await topicWith(3);
    const connection = await opening(topic);
    const bodies = Array.from({ length: 300 }, (_, index) => `{"n":${index}}`);
    const confirmed = await Promise.all(
      bodies.map(async (body, index) => {
        const message = messageOf({ body: Buffer.from(body), key: `key-${index % 50}` });
        return await connection.send(message, WITHIN_MS);
      }),
    );
    const records = await read(topic, 300);
    const found = new Map(
      records.map((one) => [one.body.toString(), `${topic}[${one.partition}] at offset ${one.offset}`]),
    );
    expect(confirmed.map(({ text }) => text)).toEqual(bodies.map((body) => found.get(body)));
    expect(new Set(records.map(({ partition }) => partition)).size).toBe(3);
    for (const { key, partition } of records) expect(partition).toBe(partitionOf(key ?? "", 3));
  });

  test("messages without a key go to all partitions", async () => {
    const topic = await topicWith(3);
    const connection = await opening(topic);
    for (let index = 0; index < 6; index += 1) await connection.send(messageOf(), WITHIN_MS);
    const records = await read(topic, 6);
    expect(new Set(records.map(({ partition }) => partition)).size).toBe(3);
  });

  test("a message beyond the topic's limit fails alone", async () => {
    const topic = await topicWith(1, "max.message.bytes=20000");
    const connection = await opening(topic);
    const sizes = [9000, 9000, 30_000, 9000, 9000];
    const outcomes = await Promise.all(
      sizes.map(
        async (size) => await failureOf(connection.send(messageOf({ body: Buffer.alloc(size, "x") }), WITHIN_MS)),
      ),
    );
    const refused = `send: The message is larger than ${topic}[0] takes. Raise max.message.bytes of the topic (message.max.bytes of the brokers), or send less with a transformation.`;
    expect(outcomes).toEqual(sizes.map((size) => (size === 30_000 ? refused : "it did not fail")));
    expect((await read(topic, 4)).map(({ body }) => body.length)).toEqual([9000, 9000, 9000, 9000]);
  });

  test("an invalid record of a compacted topic takes no other with it", async () => {
    const topic = await topicWith(1, "cleanup.policy=compact");
    const connection = await opening(topic);
    const outcomes = await Promise.all(
      ["a", null, "b"].map(async (key) => await failureOf(connection.send(messageOf({ key }), WITHIN_MS))),
    );
    expect(outcomes).toEqual([
      "it did not fail",
      expect.stringContaining("a compacted topic needs a partition key"),
      "it did not fail",
    ]);
    expect((await read(topic, 2)).map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("a topic that is not there is not created", async () => {
    const failed = await failureOf(opening("nowhere"));
    expect(failed).toBe(
      "send: The topic of nowhere is not there. Create it, or correct the topic of the destination: it is never created by a message.",
    );
    expect(await failureOf(opening("nowhere"))).toBe(failed);
    expect(await failureOf(opening("not a name"))).toContain("Kafka allows no topic with the name of not a name");
  });

  test.each([
    ["plain", ALICE],
    ["scram-sha-256", BOB],
    ["scram-sha-512", BOB],
  ] as const)("%s signs in, and says what is wrong", async (mechanism, user) => {
    const topic = await topicWith(1);
    const right = [{ sasl: signIn(mechanism, user.username) }, hide(user.password)] as const;
    const at = { brokers: [`bootstrap.test:${port("sasl")}`] };
    expect(await failureOf(opening(topic, { ...at, ...right[0] }, right[1]))).toContain(
      "send: The user of the destination may not write to the topic",
    );
    await cluster.peer("allow", user.username, topic, "WRITE");
    const connection = await opening(topic, { ...at, ...right[0] }, right[1]);
    await connection.send(messageOf(), WITHIN_MS);
    const wrong = await failureOf(opening(topic, { ...at, ...right[0] }, hide("another-secret")));
    expect(wrong).toContain(
      `sign_in: The broker at bootstrap.test:${port("sasl")} refused the user name or the password`,
    );
    expect(wrong).not.toContain("another-secret");
    expect(await failureOf(opening(topic, { ...at, sasl: signIn(mechanism, "nobody,=") }))).toContain("sign_in:");
  });

  test("a user that may see the topic but not write is reported", async () => {
    const topic = await topicWith(1);
    await cluster.peer("allow", MALLORY.username, topic, "DESCRIBE");
    const at = { brokers: [`bootstrap.test:${port("sasl")}`], sasl: signIn("plain", MALLORY.username) };
    const connection = await opening(topic, at, hide(MALLORY.password));
    expect(await failureOf(connection.send(messageOf(), WITHIN_MS))).toContain(
      "send: The user of the destination may not write to the topic",
    );
  });

  test("a sign-in that ends is renewed before a message needs it", async () => {
    const topic = await topicWith(1);
    await cluster.peer("allow", ALICE.username, topic, "WRITE");
    const connection = await opening(topic, { brokers: [`bootstrap.test:${port("sasl")}`], sasl: signIn("plain") });
    await connection.send(messageOf(), WITHIN_MS);
    await sleep(SIGN_IN_HOLDS_MS);
    const before = deps.dialed.length;
    await connection.send(messageOf(), WITHIN_MS);
    expect(deps.dialed.length).toBe(before + 1);
    expect(await read(topic, 2)).toHaveLength(2);
  });

  test("a port with another kind of sign-in says which one it has", async () => {
    const topic = await topicWith(1);
    const [plain, sasl, tls] = [port("plain"), port("sasl"), port("tls")].map((one) => [`kafka-1.test:${one}`]);
    expect(await failureOf(opening(topic, { brokers: plain ?? [], sasl: signIn("plain") }))).toContain(
      "has no sign-in on this port",
    );
    expect(await failureOf(opening(topic, { brokers: sasl ?? [] }))).toContain(
      "whether this port needs `tls` or `sasl`",
    );
    expect(await failureOf(opening(topic, { brokers: tls ?? [] }))).toMatch(/needs `tls`|speaks TLS/);
    expect(await failureOf(opening(topic, { brokers: plain ?? [], tls: true }))).toMatch(/^tls: /);
    expect(await failureOf(opening(topic, { brokers: sasl ?? [], sasl: signIn("plain") }, hide("")))).toContain(
      "sign_in:",
    );
  });

  test("TLS is checked against the name, at first and where the cluster leads", async () => {
    const topic = await topicWith(1);
    const connection = await opening(topic, { brokers: [`kafka-1.test:${port("tls")}`], tls: true });
    await connection.send(messageOf(), WITHIN_MS);
    expect(await failureOf(opening(topic, { brokers: [`bootstrap.test:${port("tls")}`], tls: true }))).toContain(
      `tls: TLS with bootstrap.test:${port("tls")} failed`,
    );
  });

  test("an address that the cluster names is judged by the guard", async () => {
    const topic = await topicWith(1);
    const connection = await opening(topic, { brokers: [`bootstrap.test:${port("lure")}`] });
    const failed = await failureOf(connection.send(messageOf(), WITHIN_MS));
    expect(failed).toContain(
      "guard: The cluster names metadata.test:80 as one of its brokers (advertised.listeners), and it cannot be used. The guard refused metadata.test:80.",
    );
    expect(failed).not.toContain("169.254");
  });

  test("every connection goes to a name that was dialed", async () => {
    const topic = await topicWith(1);
    const before = deps.dialed.length;
    const connection = await opening(topic);
    await connection.send(messageOf(), WITHIN_MS);
    expect(deps.dialed.slice(before)).toEqual([`bootstrap.test:${port("plain")}`, `kafka-1.test:${port("plain")}`]);
  });

  test("a send after the close fails, and leaves nothing open", async () => {
    const topic = await topicWith(1);
    const connection = await opening(topic);
    const sent = Array.from({ length: 20 }, async () => await failureOf(connection.send(messageOf(), WITHIN_MS)));
    await connection.close();
    for (const outcome of await Promise.all(sent)) expect(outcome).toMatch(/^confirm: |^it did not fail/);
    expect(connection.isUsable).toBe(false);
    expect(await failureOf(connection.send(messageOf(), WITHIN_MS))).toMatch(/closed/);
  });
});
