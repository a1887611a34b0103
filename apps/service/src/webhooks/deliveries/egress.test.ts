import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { debianProgram, whyNoDebianPrograms } from "../../../../../tools/debian-programs.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { putSecret } from "../../testing/http-calls.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { freePort } from "../../testing/process.ts";

/** A real proxy, which a test starts and stops. */
interface Tinyproxy {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const skipped = await whyNoDebianPrograms();
let service: TestService;
let log: ReturnType<typeof deliveryLog>;
let proxy: Tinyproxy;

beforeAll(async () => {
  if (skipped !== undefined) return;
  const port = await freePort();
  proxy = await tinyproxy(port);
  await proxy.start();
  service = await startService({
    env: { ...SHORT_LADDER, JUNCTION_EGRESS_PROXY: `http://junction:secret@127.0.0.1:${port}` },
  });
  log = deliveryLog(service);
});
afterAll(async () => {
  await service.close();
  await proxy.stop();
});

test.skipIf(skipped !== undefined)("deliveries wait for the proxy, and it costs no attempt", async () => {
  const { fire, path } = await subscribe(service);
  const first = await fire();
  await log.in(first, "delivered");
  await proxy.stop();
  const id = await fire();
  const waiting = await service.until(`/v1/deliveries/${id}`, ({ last_error_class: last }) => last === "proxy");
  expect(waiting).toMatchObject({ state: "pending", attempt_count: 0, light: null });
  expect(Date.parse(waiting["next_attempt_at"])).toBeGreaterThan(Date.now());
  expect(await log.attempts(id)).toEqual([]);
  expect((await service.api("GET", path)).body).toMatchObject({ health: "green", failing_since: null });
  const tested = await service.api("POST", "/v1/webhooks/test", { endpoint_id: path.split("/").at(-1) });
  expect(tested.body).toMatchObject({ response: null, error: { class: "proxy" } });
  await proxy.start();
  await log.hurry();
  await log.in(id, "delivered");
  expect(await log.attempts(id)).toHaveLength(1);
});

test.skipIf(skipped !== undefined)("a receiver that is down behind the proxy fails by the schedule", async () => {
  const alive = await subscribe(service);
  const { fire } = await subscribe(service, { url: `http://127.0.0.1:${await freePort()}/` });
  const id = await fire();
  await service.until(`/v1/deliveries/${id}`, ({ last_error_class: last }) => last === "proxy");
  await log.in(await alive.fire(), "delivered");
  // The tunnel of the other receiver may be older than the first failure.
  const next = await subscribe(service);
  await log.in(await next.fire(), "delivered");
  await log.hurry();
  await log.in(id, "failed");
  expect((await log.attempts(id)).map((one) => one["error_class"])).toEqual(Array.from({ length: 6 }, () => "connect"));
});

test.skipIf(skipped !== undefined)("calls and tokens go through the proxy too", async () => {
  const { receiver } = await subscribe(service);
  receiver.answer((response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"access_token":"t","expires_in":600}'),
  );
  await putSecret(service, "client", "secret");
  const auth = { type: "oauth2_client_credentials", token_url: receiver.url, client_id: "c", secret_ref: "client" };
  const request = { type: "http", method: "GET", url: receiver.url, auth };
  await proxy.stop();
  const failed = await service.api("POST", "/v1/http-calls/test", { request });
  expect(JSON.stringify(failed.body)).toContain("the egress proxy cannot be reached");
  expect(receiver.received).toHaveLength(0);
  await proxy.start();
  expect((await service.api("POST", "/v1/http-calls/test", { request })).body).toMatchObject({
    response: { status: 200 },
  });
});

/** Returns Debian's tinyproxy on this port, with a user. */
async function tinyproxy(port: number): Promise<Tinyproxy> {
  const program = await debianProgram("tinyproxy-bin", "usr/bin/tinyproxy");
  const folder = mkdtempSync(join(tmpdir(), "junction-proxy-"));
  const file = join(folder, "tinyproxy.conf");
  writeFileSync(file, `Port ${port}\nListen 127.0.0.1\nBasicAuth junction secret\nLogLevel Critical\nMaxClients 50\n`);
  let running: ReturnType<typeof spawn> | undefined;
  return {
    async start() {
      running = spawn(program, ["-d", "-c", file], { stdio: "ignore" });
      await untilOpen(port);
    },
    async stop() {
      if (running === undefined) return;
      const ended = once(running, "exit");
      running.kill("SIGKILL");
      await ended;
      running = undefined;
      rmSync(join(folder, "tinyproxy.pid"), { force: true });
    },
  };
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error("the proxy did not start");
}
