import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hexMac, inboundBody, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let source: TestSource;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_TRUST_PROXIES: "127.0.0.0/8" } });
  source = await makeSource(service);
});
afterAll(async () => {
  await service.close();
});

async function signed(from: string): Promise<number> {
  const body = inboundBody();
  const signature = hexMac(source.secret, body);
  return (await source.sendAs({ "X-Service-Inbound-Signature": signature, "X-Forwarded-For": from }, body)).status;
}

/** Sends the beginning of a request, and never its body. */
function sendHalf(from: string): void {
  const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1", () => {
    socket.write(
      `POST ${source.target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Length: 60000\r\n\r\n{`,
    );
  });
  onTestFinished(() => void socket.destroy());
}

test("a network with many refused requests takes turns, and its right requests are accepted", async () => {
  const flood = Array.from(
    { length: 200 },
    async () => await source.sendAs({ "X-Forwarded-For": "2001:db8::1" }, "{}"),
  );
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
  const right = Array.from({ length: 20 }, async (_one, at) => await signed(`2001:db8::${at}`));
  expect(new Set(await Promise.all(right))).toEqual(new Set([200]));
});

test("a slow client keeps only its neighbours waiting, and only for a moment", async () => {
  for (let at = 0; at < 70; at += 1) await source.sendAs({ "X-Forwarded-For": "198.51.100.7" }, "{}");
  for (let at = 0; at < 20; at += 1) sendHalf("198.51.100.7");
  await new Promise((resolve) => setTimeout(resolve, 100));
  const started = performance.now();
  expect(await signed("198.51.100.8")).toBe(200);
  const others = performance.now() - started;
  expect(await signed("198.51.100.7")).toBe(200);
  const neighbours = performance.now() - started - others;
  // Twenty turns of 50 ms, some of which are over by now.
  expect(neighbours).toBeGreaterThan(300);
  expect(others).toBeLessThan(neighbours);
});
