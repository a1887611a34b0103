import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../apps/service/src/testing/process.ts";
import { Junction } from "../sdks/node/src/index.ts";

const START = fileURLToPath(new URL("start.ts", import.meta.url));
const PATIENCE = { timeout: 90_000 };
let dataDir: string;
let port: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-demo-"));
  port = await freePort();
});
afterAll(async () => await rm(dataDir, { recursive: true, force: true }));

function start(): { readonly child: ChildProcess; said(): string } {
  const env = { PATH: process.env["PATH"], JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(port) };
  const child = spawn(process.execPath, [START, "--demo"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  return { child, said: () => text };
}

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

test("a start with --demo fills the unclaimed sandbox once and obeys SIGTERM", async () => {
  const first = start();
  await expect.poll(first.said, PATIENCE).toMatch(/the sandbox has demo data: 8 endpoints/);
  const [apiKey = ""] = /jn_test_\w+/.exec(first.said()) ?? [];
  const junction = new Junction({ apiKey, baseUrl: `http://127.0.0.1:${port}` });
  const made = await all(junction.actionContracts.list());
  expect(made.map(({ key }) => key).toSorted()).toEqual(["demo.close_account", "demo.refund_payment"]);
  const { url } = await junction.inboxes.put("mine");
  const mine = await junction.webhookEndpoints.create({ url, events: ["acme.mine"] });
  first.child.kill("SIGTERM");
  expect(await once(first.child, "exit")).toEqual([0, null]);

  const second = start();
  await expect.poll(second.said, PATIENCE).toMatch(/the sandbox has its demo data/);
  const endpoints = await all(junction.webhookEndpoints.list());
  expect(endpoints.map(({ id }) => id)).toContain(mine.id);
  expect(await all(junction.actionContracts.list())).toEqual(made);
  second.child.kill("SIGTERM");
  expect(await once(second.child, "exit")).toEqual([0, null]);
});
