import { expect, test } from "vitest";
import { hide } from "../../lib/lib.ts";
import { messageOf, testDeps } from "../../testing/broker-deps.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDriver } from "./broker.ts";
import { createBrokers } from "./kept-connections.ts";

const WITHIN_MS = 5000;

/** A broker in the process, whose connections are counted. */
function setUp(limits = { most: 10, mostOfShare: 10 }) {
  const log: string[] = [];
  const waiting: (() => void)[] = [];
  const connections: (BrokerConnection & { isUsable: boolean })[] = [];
  let opened = 0;
  const driver: BrokerDriver<{ readonly holds?: boolean; readonly refuses?: boolean }> = {
    kind: "nats",
    async open(_deps, { holds = false, refuses = false }) {
      opened += 1;
      const id = opened;
      log.push(`open ${id}`);
      if (refuses) throw new BrokerError("sign_in", "no");
      const connection = {
        isUsable: true,
        async send() {
          if (!connection.isUsable) throw new BrokerError("send", "gone");
          if (holds) await new Promise<void>((resolve) => void waiting.push(resolve));
          return await Promise.resolve({ text: `by ${id}`, address: null });
        },
        close: async () => await Promise.resolve(void log.push(`close ${id}`)),
      };
      connections.push(connection);
      return await Promise.resolve(connection);
    },
  };
  const brokers = createBrokers({ ...testDeps().deps, drivers: [driver], limits });
  const send = async (owner: string, destination: object = {}, secret = "a", share = "w") =>
    await brokers
      .send({ owner, share, kind: "nats", destination, credential: hide(secret) }, messageOf(), WITHIN_MS)
      .then(({ text }) => text);
  return { brokers, send, log, waiting, connections };
}

test("attempts of one endpoint open one connection and share it", async () => {
  const { send, log, brokers } = setUp();
  expect(await Promise.all([send("a"), send("a"), send("b")])).toEqual(["by 1", "by 1", "by 2"]);
  expect(await send("a")).toBe("by 1");
  await brokers.close();
  expect(log).toEqual(["open 1", "open 2", "close 1", "close 2"]);
});

test("another credential or destination gets another connection, and the one before is closed", async () => {
  const { send, log, brokers } = setUp();
  expect([await send("a"), await send("a", {}, "b"), await send("a", { x: 1 }, "b")]).toEqual(["by 1", "by 2", "by 3"]);
  expect(log).toEqual(["open 1", "close 1", "open 2", "close 2", "open 3"]);
  await brokers.close();
});

test("a connection that the broker closed is replaced within the attempt", async () => {
  const { send, connections, brokers } = setUp();
  await send("a");
  const [first] = connections;
  if (first !== undefined) first.isUsable = false;
  expect(await send("a")).toBe("by 2");
  await brokers.close();
});

test("a refusal is not kept", async () => {
  const { send, log } = setUp();
  await expect(send("a", { refuses: true })).rejects.toThrow("no");
  expect(await send("a")).toBe("by 2");
  expect(log).toEqual(["open 1", "open 2"]);
});

test("an idle connection makes room for another, and busy ones are waited for", async () => {
  const { send, log, waiting, brokers } = setUp({ most: 10, mostOfShare: 1 });
  await send("a");
  const held = send("b", { holds: true });
  await expect.poll(() => waiting.length).toBe(1);
  expect(log).toEqual(["open 1", "close 1", "open 2"]);
  const later = send("c");
  expect(await send("d", {}, "a", "another workspace")).toBe("by 3");
  waiting.forEach((end) => end());
  expect([await held, await later]).toEqual(["by 2", "by 4"]);
  await brokers.close();
});
