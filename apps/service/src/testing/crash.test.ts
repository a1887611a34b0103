import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { freePort, startProcess } from "./process.ts";
import type { ServiceProcess } from "./process.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";

const CLIENTS = 20;

let dataDir: string;
let port: number;
let receiver: Receiver;
let service: ServiceProcess;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-crash-"));
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

async function start(): Promise<{ key: string }> {
  service = startProcess(
    {
      JUNCTION_DATA_DIR: join(dataDir, "data"),
      JUNCTION_BOOTSTRAP: join(dataDir, "keys.json"),
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
      JUNCTION_RATE_LIMITS: '{"events.fire":1000000}',
      JUNCTION_RETRY_LADDER: "200ms,200ms,1s,1s,1s",
      JUNCTION_LOG_LEVEL: "info",
    },
    port,
  );
  await service.ready();
  const { api_key: key } = JSON.parse(await readFile(join(dataDir, "keys.json"), "utf8"));
  return { key };
}

async function call(key: string, path: string, body: unknown): Promise<Response> {
  return await fetch(service.baseUrl + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Fires until told to stop; answers the events that were accepted with a 202. */
function fireWith(clients: number, key: string): { stop(): Promise<string[]> } {
  const accepted: string[] = [];
  let running = true;
  const loops = Array.from({ length: clients }, async (_client, client) => {
    for (let n = 0; running; n += 1) {
      try {
        const answer = await call(key, "/v1/events/fire", { event: "crash.test", data: { client, n } });
        if (answer.status === 202) accepted.push(((await answer.json()) as { id: string }).id);
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

/** Every accepted event arrives at least once; leases of the killed run out within 90 s. */
async function expectAll(accepted: readonly string[]): Promise<void> {
  const deadline = Date.now() + 90_000;
  const missing = new Set(accepted);
  while (missing.size > 0 && Date.now() < deadline) {
    for (const { body } of receiver.received) missing.delete((JSON.parse(body) as { id: string }).id);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect([...missing]).toEqual([]);
}

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

covers(
  "deliver.semantics.at-least-once",
  "kill -9 of the service under 20 clients loses no accepted event",
  async () => {
    const { key } = await start();
    await call(key, "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
    const firing = fireWith(CLIENTS, key);
    await pause(1500);
    await service.kill();
    const accepted = await firing.stop();
    expect(accepted.length).toBeGreaterThan(CLIENTS);
    await start();
    await expectAll(accepted);
  },
  180_000,
);

test("kill -9 of the database under 20 clients loses no accepted event, and the service resumes by itself", async () => {
  const { key } = await start();
  await call(key, "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  const firing = fireWith(CLIENTS, key);
  await pause(1000);
  const postmaster = Number((await readFile(join(dataDir, "data/postgres/postmaster.pid"), "utf8")).split("\n")[0]);
  process.kill(postmaster, "SIGKILL");
  const fireAfter = async (): Promise<string | undefined> => {
    const answer = await call(key, "/v1/events/fire", { event: "crash.after", data: {} });
    return answer.status === 202 ? ((await answer.json()) as { id: string }).id : undefined;
  };
  await pause(1000);
  let after: string | undefined;
  await expect.poll(async () => (after ??= await fireAfter()), { timeout: 60_000, interval: 200 }).toBeDefined();
  const accepted = await firing.stop();
  await expectAll([...accepted, after ?? ""]);
}, 180_000);
