import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { META, send } from "../../testing/mcp.ts";
import { connected } from "../../testing/oauth.ts";
import { joined } from "../../testing/people.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  while ((await places()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});

async function places(): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(/^junction_mcp_event_streams (\d+)$/m.exec(text)?.[1]);
}

/** Opens a stream. With `reads` false, nothing behind its headers is ever read. Returns the status. */
async function open(key: string, params: Record<string, unknown>, reads = false): Promise<[number, Socket]> {
  const { hostname, port } = new URL(service.baseUrl);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "events/stream", params: { ...params, _meta: META } });
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: events/stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const head = await new Promise<string>((resolve) =>
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  if (reads) socket.on("data", () => undefined);
  else socket.pause();
  return [Number(head.slice(9, 12)), socket];
}

async function start(): Promise<string> {
  return (await send(service, "events/poll", {})).body["result"]["cursor"];
}

async function fire(count: number, bytes: number): Promise<void> {
  const text = "x".repeat(bytes);
  for (let n = 0; n < count; n += 1)
    expect((await service.api("POST", "/v1/events/fire", { event: "large.event", data: { text } })).status).toBe(202);
}

const { rss } = process.memoryUsage;

test("readers that stop cost bounded memory, and end with time and key", async () => {
  const cursor = await start();
  await fire(60, 240_000);
  const keys = await Promise.all(
    Array.from({ length: 3 }, async () => await mintKey(service, { role: "ai", actor_type: "ai" })),
  );
  const before = rss();
  for (const { key } of keys)
    for (let n = 0; n < 5; n += 1)
      expect((await open(key, { cursor, maxSeconds: key === keys[0]?.key ? 8 : 600 }))[0]).toBe(200);
  await expect.poll(places, { timeout: 5000 }).toBe(15);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(rss() - before).toBeLessThan(120 * 1024 * 1024);
  // While other tests run, the end of a stream is noticed late.
  await expect.poll(places, { timeout: 20_000 }).toBe(10);
  for (const { id } of keys.slice(1)) await service.api("POST", `/v1/keys/${id}/revoke`);
  await expect.poll(places, { timeout: 10_000 }).toBe(0);
});

test("a position of zeros without a matching event delays no one", async () => {
  await fire(100, 250_000);
  const { key } = await mintKey(service, { role: "ai", actor_type: "ai" });
  const cursor = Buffer.alloc(16).toString("base64url");
  const none = { events: ["no.such.event"], cursor };
  const startedMs = processorMs();
  for (let n = 0; n < 20; n += 1) expect((await send(service, "events/poll", none, { key })).status).toBe(200);
  expect(processorMs() - startedMs).toBeLessThan(2000);
  for (let n = 0; n < 5; n += 1) await open(key, { ...none, maxSeconds: 600 }, true);
  const filter = { field: "data.text", op: "eq", value: "no such text" };
  const { key: other } = await mintKey(service, { role: "ai", actor_type: "ai" });
  for (let n = 0; n < 5; n += 1) await open(other, { cursor, filter, maxSeconds: 600 }, true);
  const foreign = await otherWorkspace(service);
  // The wide bound is for a machine that runs other tests.
  expect(await slowestOf(20, foreign.key)).toBeLessThan(1000);
});

async function slowestOf(times: number, key: string): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < times; n += 1) {
    const startedMs = processorMs();
    expect((await service.api("GET", "/v1/events", undefined, { key })).status).toBe(200);
    slowest = Math.max(slowest, processorMs() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return slowest;
}

test("forty apps of one member take no more than the member's share", async () => {
  const viewer = await joined(service, "viewer");
  const colleague = await mintKey(service, { role: "ai", actor_type: "ai" });
  const foreign = await otherWorkspace(service);
  const apps = [];
  for (let n = 0; n < 40; n += 1) apps.push(await connected(service, viewer, { scope: "events:read" }));
  const statuses: number[] = [];
  for (const { access } of apps)
    for (let n = 0; n < 5; n += 1) statuses.push((await open(access, { maxSeconds: 600 }))[0]);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  for (const key of [colleague.key, foreign.key]) expect((await open(key, { maxSeconds: 600 }, true))[0]).toBe(200);
});

test("a member can connect a bounded number of apps, also at once", async () => {
  const viewer = await joined(service, "viewer");
  const app = { scope: "events:read" };
  const made = await Promise.allSettled(Array.from({ length: 54 }, async () => await connected(service, viewer, app)));
  const refused = made.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refused).toHaveLength(4);
  expect(refused[0]).toContain("at most 50 connected apps");
});
