import { describe, expect, test } from "vitest";
import { after, systemClock } from "../../lib/lib.ts";
import { createAuthority } from "../../testing/certificates.ts";
import { createConnections } from "./connections.ts";
import { startReceiver } from "./testing/receivers.ts";
import type { HttpReceiver, ReceiverOptions } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";

const authority = createAuthority();

function route({ port }: HttpReceiver, address = "127.0.0.1") {
  return {
    origin: `http://receiver.test:${port}`,
    address,
    vetted: [address],
    port,
    tlsName: null,
    connectTimeoutMs: 5000,
  };
}

/** Starts a receiver on all loopback addresses, and the module's connections with a limit. */
async function start(limit: number) {
  const receiver = await startReceiver({ listen: { address: "0.0.0.0", port: 0 } });
  const connections = createConnections({ clock: systemClock, limit });
  return {
    receiver,
    connections,
    async ask(address: string) {
      const connection = connections.acquire(route(receiver, address));
      const { body } = await connection.client.request({ method: "GET", path: "/" });
      await body.dump();
      connections.release(connection);
      await new Promise((resolve) => setImmediate(resolve));
      return connection;
    },
    async [Symbol.asyncDispose]() {
      await connections.close();
      await receiver.close();
    },
  };
}

describe("a kept connection", () => {
  test("is used again, but not while it is in use", async () => {
    await using world = await start(10);
    const { connections, receiver, ask } = world;
    const first = await ask("127.0.0.1");
    expect(connections.acquire(route(receiver))).toBe(first);
    const second = connections.acquire(route(receiver));
    expect(second).not.toBe(first);
    connections.release(first);
    connections.release(second);
  });

  test("is not used for another origin at the same address", async () => {
    await using world = await start(10);
    const { connections, receiver, ask } = world;
    const first = await ask("127.0.0.1");
    const other = connections.acquire({ ...route(receiver), origin: `http://other.test:${receiver.port}` });
    expect(other).not.toBe(first);
    connections.release(other);
  });

  test("that was idle longest is closed beyond the limit of open ones", async () => {
    await using world = await start(2);
    const { connections, receiver } = world;
    const all = await Promise.all(
      ["one", "two", "three"].map(async (name) => {
        const connection = connections.acquire({ ...route(receiver), origin: `http://${name}.test` });
        const { body } = await connection.client.request({ method: "GET", path: "/" });
        await body.dump();
        return connection;
      }),
    );
    for (const connection of all) connections.release(connection);
    await new Promise((resolve) => setImmediate(resolve));
    connections.release(connections.acquire({ ...route(receiver), origin: "http://four.test" }));
    expect(all.map(({ client }) => client.closed)).toEqual([true, false, false]);
  });
});

/** Starts the module with a name and a receiver on all loopback addresses. */
async function startNamed(options: ReceiverOptions = {}, clock = systemClock) {
  const setup = await startNet({ allow: "127.0.0.0/8", ca: [authority.cert], clock });
  const receiver = await setup.use(startReceiver({ ...options, listen: { address: "0.0.0.0", port: 0 } }));
  const scheme = options.certificate === undefined ? "http" : "https";
  setup.dns.set("moving.test", ["127.0.0.1", "127.0.0.2"]);
  return {
    setup,
    receiver,
    move: (...addresses: string[]) => setup.dns.set("moving.test", addresses),
    post: async () => await setup.post(`${scheme}://moving.test:${receiver.port}/`),
    [Symbol.asyncDispose]: async () => await setup[Symbol.asyncDispose](),
  };
}

describe("a kept connection whose name changes", () => {
  test("stays open while its address is one of the name's", async () => {
    await using world = await startNamed();
    await world.post();
    world.move("127.0.0.3", "127.0.0.1");
    await world.post();
    world.move("127.0.0.1");
    expect(await world.post()).toMatchObject({ status: 200, latency: { connect: 0 } });
    await expect.poll(() => world.receiver.open()).toBe(1);
    expect(world.receiver.connections()).toBe(2);
  });

  test("ends when the name has only other addresses", async () => {
    await using world = await startNamed();
    await world.post();
    world.move("127.0.0.3");
    expect(await world.post()).toMatchObject({ status: 200, resolvedIp: "127.0.0.3" });
    await expect.poll(() => world.receiver.open()).toBe(1);
    world.move("127.0.0.1");
    expect((await world.post()).latency.connect).toBeGreaterThan(0);
  });

  test("ends when an address of the name is refused", async () => {
    await using world = await startNamed();
    await world.post();
    world.move("127.0.0.1", "10.0.0.1");
    expect(await world.post()).toMatchObject({ errorClass: "target_refused" });
    await expect.poll(() => world.receiver.open()).toBe(0);
  });

  test("ends after the request that it carries", async () => {
    const waiting: (() => void)[] = [];
    await using world = await startNamed({ answer: (_request, response) => waiting.push(() => response.end("late")) });
    const first = world.post();
    await expect.poll(() => waiting.length).toBe(1);
    world.move("10.0.0.1");
    expect(await world.post()).toMatchObject({ errorClass: "target_refused" });
    waiting[0]?.();
    expect(await first).toMatchObject({ status: 200 });
    await expect.poll(() => world.receiver.open()).toBe(0);
  });
});

test("a kept connection is not used after the end of the receiver's certificate", async () => {
  let passedMs = 0;
  const clock = { ...systemClock, now: () => after(systemClock.now(), passedMs) };
  await using world = await startNamed({ certificate: authority.issue(["moving.test"], { from: -1, to: 0.5 }) }, clock);
  await world.post();
  await world.post();
  passedMs = 13 * 3_600_000;
  await world.post();
  expect(world.receiver.resumed).toEqual([false, false]);
});

test("a TLS receiver that closes a kept connection gets the request on another", async () => {
  let nth = 0;
  await using world = await startNamed({
    certificate: authority.issue(["moving.test"]),
    answer(request, response) {
      nth += 1;
      if (nth === 2) request.socket.destroy();
      else response.end("ok");
    },
  });
  await world.post();
  expect(await world.post()).toMatchObject({ status: 200, errorClass: null });
  expect(world.receiver.resumed).toEqual([false, true]);
});
