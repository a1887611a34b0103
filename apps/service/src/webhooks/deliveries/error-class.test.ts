import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { closedUrl, startRawReceiver } from "../../testing/raw-receiver.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { SubscriptionOptions } from "../../testing/subscription.ts";
import { createTelemetry } from "../../platform/telemetry/telemetry.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

/** Returns the first attempt of a delivery, once it is logged. */
async function firstAttempt(id: string): Promise<Parsed> {
  await log.attempted(id, 1);
  const [attempt] = await log.attempts(id);
  return attempt ?? {};
}

/** Represents a name or address that became invalid after the endpoint was saved. */
async function moveTo(url: string, endpointUrl: string): Promise<void> {
  await service.database.query("update endpoint set url = $1 where url = $2", [url, endpointUrl]);
}

const FAILED = { status_code: null, response_headers: null, response_snippet: null, response_truncated: false };

for (const status of [400, 401, 404, 422, 429, 500, 503]) {
  covers(
    "deliver.retry.not-200",
    `status ${status} is a failed attempt of class http_status, and is retried`,
    async () => {
      const { fire } = await subscribe(service, { status });
      const id = await fire();
      expect(await firstAttempt(id)).toMatchObject({ status_code: status, error_class: "http_status" });
      expect(await log.get(id)).toMatchObject({ state: "pending", light: "amber", last_error_class: "http_status" });
    },
  );
}

for (const status of [301, 302, 303, 307, 308, 304]) {
  covers("deliver.retry.not-200", `a redirect ${status} is a failed attempt and is not followed`, async () => {
    const aim = await subscribe(service);
    const { fire, receiver } = await subscribe(service, { status, headers: { Location: aim.receiver.url } });
    expect(await firstAttempt(await fire())).toMatchObject({ status_code: status, error_class: "redirect" });
    expect(receiver.received).toHaveLength(1);
    expect(aim.receiver.received).toHaveLength(0);
  });
}

test("a refused connection is of class connect", async () => {
  const { fire } = await subscribe(service, { url: await closedUrl() });
  const attempt = await firstAttempt(await fire());
  expect(attempt).toMatchObject({ ...FAILED, error_class: "connect", resolved_ip: "127.0.0.1" });
  expect(attempt["error_detail"]).toEqual(expect.any(String));
});

test("a connection closed before a status line is of class reset", async () => {
  const { url } = await startRawReceiver((socket) => socket.destroy());
  const { fire } = await subscribe(service, { url });
  expect(await firstAttempt(await fire())).toMatchObject({ ...FAILED, error_class: "reset" });
});

test("a response that is not HTTP is of class protocol", async () => {
  const { url } = await startRawReceiver((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n"));
  const { fire } = await subscribe(service, { url });
  expect(await firstAttempt(await fire())).toMatchObject({ ...FAILED, error_class: "protocol" });
});

test("a port that does not speak TLS is of class tls", async () => {
  const { fire, receiver } = await subscribe(service);
  await moveTo(receiver.url.replace("http:", "https:"), receiver.url);
  expect(await firstAttempt(await fire())).toMatchObject({ ...FAILED, error_class: "tls" });
  expect(receiver.received).toHaveLength(0);
});

test("a name that no longer resolves is of class dns", async () => {
  const { fire, receiver } = await subscribe(service);
  await moveTo("https://nonexistent.invalid/hook", receiver.url);
  expect(await firstAttempt(await fire())).toMatchObject({ ...FAILED, error_class: "dns", resolved_ip: null });
});

for (const url of ["http://10.0.0.1/hook", "https://10.0.0.1/hook", "https://169.254.169.254/", "https://[::1]:9/"]) {
  covers(
    "target.check.send",
    `${url} is refused at send though it was saved: a failed attempt, nothing sent`,
    async () => {
      const { fire, receiver } = await subscribe(service);
      await moveTo(url, receiver.url);
      const id = await fire();
      const attempt = await firstAttempt(id);
      expect(attempt).toMatchObject({ ...FAILED, error_class: "target_refused", resolved_ip: null });
      // The detail never contains the address, which an attacker may want to learn.
      expect(attempt["error_detail"]).not.toMatch(/\d+\.\d+\.\d+|::/);
      expect(await log.get(id)).toMatchObject({ state: "pending", light: "amber", last_error_class: "target_refused" });
      expect(receiver.received).toHaveLength(0);

      await moveTo(receiver.url, url);
      await log.hurry();
      await log.in(id, "delivered");
    },
  );
}

test("an endless response body is cut, and the status line counts as delivered", async () => {
  let sent = 0;
  const { url } = await startRawReceiver((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const more = (): void => {
      while (!socket.destroyed) {
        sent += 0x4000;
        if (!socket.write(chunk)) return void socket.once("drain", more);
      }
    };
    more();
  });
  const { fire } = await subscribe(service, { url });
  const id = await fire();
  await log.in(id, "delivered");
  expect(await firstAttempt(id)).toMatchObject({
    status_code: 200,
    error_class: null,
    response_truncated: true,
    response_snippet: "x".repeat(1024),
  });
  expect(sent).toBeGreaterThan(64 * 1024);
});

test("a huge or compressed response leaves a snippet of one KiB", async () => {
  const huge = "y".repeat(5_000_000);
  const { fire, receiver } = await subscribe(service);
  receiver.answer((response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(huge)));
  const inflated = await fire();
  await log.in(inflated, "delivered");
  receiver.answer((response) => response.writeHead(200).end(huge));
  const plain = await fire();
  await log.in(plain, "delivered");
  for (const id of [inflated, plain]) {
    const attempt = await firstAttempt(id);
    expect(attempt).toMatchObject({ status_code: 200, response_truncated: true });
    expect(attempt["response_snippet"]).toBe("y".repeat(1024));
  }
});

test("a response of any bytes can be logged", async () => {
  const { fire, receiver } = await subscribe(service);
  const bodies = [
    Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80, 0x41, 0]),
    Buffer.from(`${"z".repeat(1023)}😀`),
    Buffer.from("\u0000".repeat(2000)),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.alloc(4096, 0x80),
  ];
  receiver.answer((response) => {
    response.writeHead(500, { "X-Odd": "caf\u00e9 \u00ff" }).end(bodies[receiver.received.length - 1]);
  });
  const ids: string[] = [];
  while (ids.length < bodies.length) {
    const id = await fire();
    await log.attempted(id, 1);
    ids.push(id);
  }
  const [first] = await log.attempts(ids[0] ?? "");
  expect(first).toMatchObject({ status_code: 500, response_snippet: "\ufffd\u0001\u0002\ufffd\ufffd\ufffdA\ufffd" });
  for (const id of ids) {
    const [attempt] = await log.attempts(id);
    expect(attempt?.["response_snippet"].length).toBeGreaterThan(0);
    expect(attempt?.["response_snippet"]).not.toContain("\u0000");
  }
});

test("response headers larger than the log's limit are cut, not lost", async () => {
  const { fire } = await subscribe(service, { status: 200, headers: { "X-Long": "h".repeat(12_000) } });
  const id = await fire();
  await log.in(id, "delivered");
  const attempt = await firstAttempt(id);
  expect(JSON.stringify(attempt["response_headers"]).length).toBeLessThan(9000);
  expect(JSON.stringify(attempt["response_headers"])).toContain("hhhh");
});

test("one result that cannot be stored does not delay its batch", async () => {
  const bad = await subscribe(service);
  bad.receiver.answer((response) => response.writeHead(500).end(Buffer.alloc(70_000)));
  const good = await subscribe(service);
  const ids = await Promise.all(Array.from({ length: 20 }, async () => [await bad.fire(), await good.fire()]));
  for (const [failing = "", fine = ""] of ids) {
    await log.in(fine, "delivered");
    await log.attempted(failing, 1);
  }
});

test("a receiver's error is logged as an attempt, not as a service fault", async () => {
  const told: unknown[] = [];
  const telemetry = createTelemetry("fatal");
  const tell = (...entry: unknown[]): void => void told.push(entry);
  Object.assign(telemetry.log, { warn: tell, error: tell, fatal: tell });
  const node = await startService({ on: service, env: UNLIMITED, deps: { telemetry } });
  try {
    const wrong: readonly [string, SubscriptionOptions, (url: string) => string][] = [
      ["http_status", { status: 404 }, (url) => url],
      ["http_status", { status: 429 }, (url) => url],
      ["connect", { url: await closedUrl() }, (url) => url],
      ["dns", {}, () => "https://nonexistent.invalid/hook"],
      ["target_refused", {}, () => "https://10.0.0.1/hook"],
      ["tls", {}, (url) => url.replace("http:", "https:")],
    ];
    for (const [errorClass, options, moved] of wrong) {
      const { fire, receiver } = await subscribe(node, options);
      await moveTo(moved(receiver.url), receiver.url);
      expect(await firstAttempt(await fire())).toMatchObject({ error_class: errorClass });
    }
    expect((await node.api("GET", "/readyz")).status).toBe(200);
    expect(told).toEqual([]);
  } finally {
    await node.close();
  }
});
