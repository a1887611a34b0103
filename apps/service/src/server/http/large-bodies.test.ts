import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
const WAITS_MS = 3000;
const sockets: Socket[] = [];
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_TRUST_PROXIES: "127.0.0.0/8" } });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.close();
});

/** Begins to send a body and does not end it. */
function beginBody(path: string, headers: string, began = "{"): Socket {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  sockets.push(socket);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${began}`,
  );
  return socket;
}

/** Sends a large event. Returns its status, or "waits" while there is no answer. */
async function sendLarge(key: string, headers: Record<string, string> = {}): Promise<number | "waits"> {
  const large = { event: "large.event", data: { text: "x".repeat(100_000) } };
  const sent = service.api("POST", "/v1/events/fire", large, { key, headers }).then(({ status }) => status);
  const waits = new Promise<"waits">((resolve) => setTimeout(() => resolve("waits"), WAITS_MS));
  return await Promise.race([sent, waits]);
}

test("large bodies of a caller take turns, and no other request waits for them", async () => {
  const [{ key: slow }, { key: quiet }] = [await mintKey(service), await mintKey(service)];
  const begun = Array.from({ length: 4 }, () =>
    beginBody("/v1/events/fire", `Authorization: Bearer ${slow}\r\nContent-Length: 200000`),
  );
  await expect.poll(async () => await sendLarge(slow)).toBe("waits");
  expect(await sendLarge(quiet)).toBe(202);
  expect((await service.api("POST", "/v1/events/fire", { event: "small.event", data: {} }, { key: slow })).status).toBe(
    202,
  );
  for (const socket of begun) socket.destroy();
  await expect.poll(async () => await sendLarge(slow)).toBe(202);
});

test("a large body without a turn in time is refused as any request", { timeout: 30_000 }, async () => {
  const { key } = await mintKey(service);
  const begun = Array.from({ length: 4 }, () =>
    beginBody("/v1/events/fire", `Authorization: Bearer ${key}\r\nContent-Length: 200000`),
  );
  await expect.poll(async () => await sendLarge(key)).toBe("waits");
  const late = await service.api(
    "POST",
    "/v1/events/fire",
    { event: "a.b", data: { text: "x".repeat(100_000) } },
    { key },
  );
  expect(late).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  for (const socket of begun) socket.destroy();
});

test("a body of unknown length is large, and callers without credentials are networks", async () => {
  const begun = Array.from({ length: 4 }, () =>
    beginBody("/api/v1/inbound.php?t=none", "Transfer-Encoding: chunked", "1\r\n{\r\n"),
  );
  const source = await service.api("POST", "/v1/inbound-endpoints", { name: "Large", preset: "custom" });
  const [url] = [String(source.body["url"])];
  const post = async (bytes: number): Promise<number | "waits"> =>
    await Promise.race([
      fetch(url, { method: "POST", body: "x".repeat(bytes) }).then(({ status }) => status),
      new Promise<"waits">((resolve) => setTimeout(() => resolve("waits"), WAITS_MS)),
    ]);
  await expect.poll(async () => await post(100_000)).toBe("waits");
  expect(await post(1000)).toBe(401);
  for (const socket of begun) socket.destroy();
  await expect.poll(async () => await post(100_000)).toBe(401);
});

test("made-up credentials do not take the places of other networks", async () => {
  const { key } = await mintKey(service);
  const begun = Array.from({ length: 140 }, (_one, at) =>
    beginBody("/v1/events/fire", `Authorization: Bearer made-up-${at}\r\nContent-Length: 200000`),
  );
  await expect.poll(async () => await sendLarge(key)).toBe("waits");
  expect(await sendLarge(key, { "X-Forwarded-For": "198.51.100.7" })).toBe(202);
  for (const socket of begun) socket.destroy();
});
