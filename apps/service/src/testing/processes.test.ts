import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseId } from "../lib/lib.ts";
import { migrate } from "../platform/db/db.ts";
import { cloneDatabase } from "./database.ts";
import { freePort, startProcess } from "./process.ts";
import { startReceiver } from "./receiver.ts";

const DELIVERIES = 200;

test("two service processes on one database never make the same attempt twice", async () => {
  const folder = await mkdtemp(join(tmpdir(), "junction-processes-"));
  const [database, receiver] = await Promise.all([cloneDatabase(), startReceiver()]);
  await migrate(database.url, new URL("../platform/db/migrations/", import.meta.url));
  const env = {
    DATABASE_URL: database.url,
    JUNCTION_MASTER_KEY: randomBytes(32).toString("base64"),
    JUNCTION_DATA_DIR: folder,
    JUNCTION_BOOTSTRAP: join(folder, "keys.json"),
    JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
    JUNCTION_RETRY_LADDER: "50ms,50ms,50ms,50ms,50ms",
  };
  const nodes = await Promise.all([freePort(), freePort()].map(async (port) => startProcess(env, await port)));
  onTestFinished(async () => {
    await Promise.all(nodes.map(async (node) => await node.kill()));
    await receiver.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
  // The first process creates the workspace, and the second one finds it.
  for (const node of nodes) await node.ready();
  const { api_key: key } = JSON.parse(await readFile(env.JUNCTION_BOOTSTRAP, "utf8"));
  const post = async (base: string | undefined, path: string, body: unknown): Promise<number> => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    return (await fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const tries = new Map<string | undefined, number>();
  receiver.answer((response, { headers }) => {
    const id = parseId(String(headers["x-service-delivery"]))?.uuid;
    const nth = (tries.get(id) ?? 0) + 1;
    tries.set(id, nth);
    // Every delivery fails once or twice, so that both processes find due retries.
    response.writeHead(nth <= 1 + ((id?.codePointAt(35) ?? 0) % 2) ? 500 : 200).end();
  });
  await post(nodes[0]?.baseUrl, "/v1/webhook-endpoints", { url: receiver.url, events: ["test.attempt"] });
  const events = Array.from({ length: DELIVERIES / 10 }, () => ({ event: "test.attempt", data: {} }));
  const fired = await Promise.all(
    Array.from({ length: 10 }, async (_, nth) => await post(nodes[nth % 2]?.baseUrl, "/v1/events/batch", { events })),
  );
  expect(new Set(fired)).toEqual(new Set([202]));
  const delivered = async (): Promise<{ id: string; attempt_count: number }[]> =>
    await database.query("select id, attempt_count from delivery where state = 'delivered'");
  await expect.poll(async () => (await delivered()).length, { timeout: 60_000 }).toBe(DELIVERIES);
  // Both processes exit normally.
  expect(await Promise.all(nodes.map(async (node) => await node.stop()))).toEqual([0, 0]);
  expect(new Map((await delivered()).map(({ id, attempt_count }) => [id, attempt_count]))).toEqual(tries);
});
