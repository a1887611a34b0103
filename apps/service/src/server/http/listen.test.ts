import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { freePort } from "../../testing/process.ts";
import { startService } from "../../testing/service.ts";
import { listen } from "./listen.ts";

const CLIENTS = `
  const { workerData: { port, connected } } = require("node:worker_threads");
  let count = 0;
  const onConnect = () => {
    count += 1;
    if (count === 64) Atomics.store(connected, 0, 1), Atomics.notify(connected, 0);
  };
  for (let n = 0; n < 64; n += 1) require("node:net").connect(port, "127.0.0.1", onConnect);
`;

test("many connections are accepted in one turn of the event loop", async () => {
  const service = await startService();
  let accepted = 0;
  service.service.http.server.on("connection", () => {
    accepted += 1;
  });
  const { port } = new URL(service.baseUrl);
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const clients = new Worker(CLIENTS, { eval: true, workerData: { port: Number(port), connected } });
  try {
    await once(clients, "online");
    // This call blocks the event loop, which the service shares, until all connections wait in the kernel.
    Atomics.wait(connected, 0, 0, 20_000);
    await turn();
    await turn();
    expect(accepted).toBeGreaterThan(8);
  } finally {
    await clients.terminate();
    await service.close();
  }
});

test("each socket serves connections until a stop ends them all", async () => {
  const service = await startService();
  const { port } = new URL(service.baseUrl);
  const ended = Array.from({ length: 64 }, async () => {
    const socket = connect(Number(port), "127.0.0.1").setEncoding("latin1");
    socket.write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [string];
    return { socket, answer };
  });
  const connections = await Promise.all(ended);
  for (const { answer } of connections) expect(answer).toContain("HTTP/1.1 200");
  const closed = connections.map(async ({ socket }) => await once(socket.resume(), "close"));
  await service.close();
  await Promise.all(closed);
  const late = connect(Number(port), "127.0.0.1");
  const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
  expect(error.code).toBe("ECONNREFUSED");
});

test("one of two services that listen on the same port is refused", async () => {
  const [port, both] = [await freePort(), [Fastify(), Fastify()]];
  const listening = await Promise.allSettled(both.map(async (app) => await listen(app, { host: "127.0.0.1", port })));
  const refused = listening.find(({ status }) => status === "rejected");
  expect(listening.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(refused).toMatchObject({ reason: { code: "EADDRINUSE", syscall: "listen" } });
  await Promise.all(both.map(async (app) => await app.close()));
  const next = Fastify();
  await listen(next, { host: "127.0.0.1", port });
  await next.close();
});

test("localhost stands for each of its addresses that the machine has", async () => {
  const app = Fastify();
  app.get("/", () => "here");
  await listen(app, { host: "localhost", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const own = new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address)));
  for (const { address, family } of await lookup("localhost", { all: true })) {
    if (!own.has(address)) continue;
    const answer = await fetch(`http://${family === 6 ? `[${address}]` : address}:${port}/`, {
      headers: { Connection: "close" },
    });
    expect(await answer.text()).toBe("here");
  }
  await app.close();
});
