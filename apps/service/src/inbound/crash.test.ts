import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { hexMac, MAPPING } from "../testing/inbound.ts";
import { freePort, startProcess } from "../testing/process.ts";
import type { ServiceProcess } from "../testing/process.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";

const CLIENTS = 20;

let dataDir: string;
let port: number;
let receiver: Receiver;
let service: ServiceProcess;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-inbound-crash-"));
  // So that the embedded database, which runs under another uid, can have its data here.
  await chmod(dataDir, 0o711);
  port = await freePort();
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.stop();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const env = {
    JUNCTION_DATA_DIR: join(dataDir, "data"),
    JUNCTION_BOOTSTRAP: join(dataDir, "keys.json"),
    JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
    JUNCTION_LOG_LEVEL: "fatal",
  };
  service = startProcess({ ...env, JUNCTION_LOG_LEVEL: "info" }, port);
  await service.ready();
  return (JSON.parse(await readFile(join(dataDir, "keys.json"), "utf8")) as { api_key: string }).api_key;
}

async function call<Answer>(key: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Answer;
}

interface Accepted {
  readonly receiptId: string;
  readonly body: string;
}

/** Sends new events until told to stop; answers those that were accepted with a 200. */
function sendWith(source: { url: string; secret: string }): { stop(): Promise<Accepted[]> } {
  const accepted: Accepted[] = [];
  let running = true;
  const loops = Array.from({ length: CLIENTS }, async (_client, client) => {
    for (let n = 0; running; n += 1) {
      const body = JSON.stringify({ id: `${client}-${n}`, type: "crash", email: `c${client}@example.com`, amount: 1 });
      const headers = { "X-Service-Inbound-Signature": hexMac(source.secret, body) };
      try {
        const answer = await fetch(source.url, { method: "POST", headers, body });
        const { receipt_id: receiptId, status } = (await answer.json()) as { receipt_id: string; status: string };
        if (answer.status === 200 && status === "ok") accepted.push({ receiptId, body });
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  return {
    async stop() {
      running = false;
      await Promise.all(loops);
      return accepted;
    },
  };
}

covers(
  ["inbound.answer.success", "contact.activity.created"],
  "kill -9 under 20 senders loses nothing that was answered 200: receipts, activities and events are there",
  async () => {
    const key = await start();
    await call(key, "POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["inbound.crash"] });
    const source = await call<{ url: string; secret: string; id: string }>(
      key,
      "POST",
      "/v1/inbound-endpoints",
      MAPPING,
    );
    const sending = sendWith(source);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await service.kill();
    const accepted = await sending.stop();
    expect(accepted.length).toBeGreaterThan(CLIENTS);
    await start();
    // Every tenth, so that the read limit is no matter.
    for (const { receiptId, body } of accepted.filter((_one, at) => at % Math.ceil(accepted.length / 100) === 0)) {
      const receipt = await call<Record<string, unknown>>(key, "GET", `/v1/inbound-receipts/${receiptId}`);
      expect(receipt).toMatchObject({ status: "ok", raw_payload: body, activity_id: expect.any(String) });
    }
    // Each accepted one had an event, and it is delivered; leases of the killed run out within 90 s.
    const missing = new Set(accepted.map(({ receiptId }) => receiptId));
    await expect
      .poll(
        () => {
          for (const { body } of receiver.received) missing.delete(JSON.parse(body).data.receipt_id);
          return missing.size;
        },
        { timeout: 100_000, interval: 200 },
      )
      .toBe(0);
    // The sender's own retry of what was answered is known.
    const [first] = accepted;
    const retried = await fetch(source.url, {
      method: "POST",
      headers: { "X-Service-Inbound-Signature": hexMac(source.secret, first?.body ?? "") },
      body: first?.body ?? "",
    });
    expect(await retried.json()).toMatchObject({ status: "duplicate" });
  },
  180_000,
);
