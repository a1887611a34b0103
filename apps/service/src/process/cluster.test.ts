import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";
import { freePort, startProcess } from "../testing/process.ts";
import type { ServiceProcess } from "../testing/process.ts";

const PROCESSES = 2;
let database: TestDatabase;
let folder: string;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  database = await cloneDatabase();
  folder = await mkdtemp(join(tmpdir(), "junction-fleet-"));
  // Finding 17: a file with a mode that everyone may read already exists.
  await writeFile(join(folder, "bootstrap.json"), "", { mode: 0o644 });
  const port = await freePort();
  service = startProcess(
    {
      DATABASE_URL: database.url,
      JUNCTION_MASTER_KEY: randomBytes(32).toString("base64"),
      JUNCTION_BOOTSTRAP: join(folder, "bootstrap.json"),
      JUNCTION_PROCESSES: String(PROCESSES),
      JUNCTION_BASE_URL: `http://127.0.0.1:${port}`,
    },
    port,
  );
  await service.ready();
  key = JSON.parse(await readFile(join(folder, "bootstrap.json"), "utf8")).api_key;
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("only its owner can read the bootstrap file, even if one existed [contract, section 1]", async () => {
  expect((await stat(join(folder, "bootstrap.json"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["bootstrap.json"]);
});

async function fire(): Promise<number> {
  const answer = await fetch(`${service.baseUrl}/v1/events/fire`, {
    method: "POST",
    // Each request has its own connection, so that both processes serve some.
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}`, Connection: "close" },
    body: JSON.stringify({ event: "order.created", data: {} }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Returns the processes that serve requests, the children of the first one. */
async function members(): Promise<number[]> {
  const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, "utf8");
  return children.trim().split(/\s+/).map(Number);
}

test("the processes of one machine share a port, and their metrics are one", async () => {
  expect(await members()).toHaveLength(PROCESSES);
  const statuses = await Promise.all(Array.from({ length: 20 }, fire));
  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(await metric("junction_events_accepted_total")).toBe(20);
});

test("a process that is killed is replaced, and what it accepted stays", async () => {
  const [first = 0] = await members();
  process.kill(first, "SIGKILL");
  await expect.poll(async () => (await members()).includes(first)).toBe(false);
  expect(await fire()).toBe(202);
  await expect
    .poll(
      async () => (await members()).length === PROCESSES && service.output().includes("a process exited unexpectedly"),
      {
        timeout: 30_000,
      },
    )
    .toBe(true);
  const [row] = await database.query<{ n: number }>(
    "select count(*)::int as n from event where name = 'order.created'",
  );
  expect(row?.n).toBe(21);
});

test("a stop ends all processes with 0; a failed start reports its cause", async () => {
  const pids = await members();
  const rival = startProcess({ ...env(), JUNCTION_PROCESSES: "2" }, Number(new URL(service.baseUrl).port));
  await expect(rival.ready()).rejects.toThrow(/ended with 75 [^]*is in use by another Junction/);
  expect(await service.stop()).toBe(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

function env(): Record<string, string> {
  return { DATABASE_URL: database.url, JUNCTION_MASTER_KEY: randomBytes(32).toString("base64") };
}
