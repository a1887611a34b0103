import { afterAll, beforeAll, expect, test } from "vitest";
import { otherWorkspace } from "../../testing/keys.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import type { ServiceProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const ENDPOINTS = 2000;

let service: TestService;
let neighbour: string;
let node: ServiceProcess;

beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  neighbour = (await otherWorkspace(service)).key;
  await insertEndpoints(ENDPOINTS);
  node = startProcess(
    {
      ...UNLIMITED,
      DATABASE_URL: service.database.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
      JUNCTION_LOG_LEVEL: "info",
      NODE_OPTIONS: "--max-old-space-size=768",
    },
    await freePort(),
  );
  await node.ready();
});
afterAll(async () => {
  await node.kill();
  await service.close();
});

/** Inserts endpoints into the owner's workspace that subscribe to every event, on a port without a listener. */
async function insertEndpoints(count: number): Promise<void> {
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, secret_sealed)
     select bucket, tag, gen_random_uuid(), id, 'http://127.0.0.1:9/' || n, '{*}', '\\x00'
     from (select * from workspace order by id limit 1) w, generate_series(1, $1) n`,
    [count],
  );
}

async function post(path: string, body: unknown, key: string): Promise<{ status: number; body: Parsed }> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const answer = await fetch(node.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const batch = (count: number, nameOf: (at: number) => string): object => ({
  events: Array.from({ length: count }, (_, at) => ({ event: nameOf(at), data: {} })),
});

/**
 * Returns the number of calls of another workspace that are accepted while `busy` runs. `npm run faults -- --only
 * fan-out` measures how long each takes.
 */
async function acceptedBeside(busy: Promise<unknown>): Promise<number> {
  let accepted = 0;
  let isOver = false;
  const over = busy.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await post("/v1/events/fire", { event: "test.neighbour", data: {} }, neighbour)).status).toBe(202);
    accepted += 1;
  }
  await over;
  return accepted;
}

test.each([
  ["of one name", () => "test.one"],
  ["of a name each", (at: number) => `test.each-${at}`],
])("500 events %s to 2000 endpoints are refused while calls of others are accepted", async (_how, nameOf) => {
  const call = post("/v1/events/batch", batch(500, nameOf), service.key);
  expect(await acceptedBeside(call)).toBeGreaterThan(0);
  const { status, body } = await call;
  expect([status, body.code]).toEqual([422, "validation_failed"]);
  expect(body.detail).toContain("One call can create at most 20000 deliveries");
  expect(body.detail).toContain("Send fewer events at a time.");
});

test("a call at the limit succeeds and lists 1000 deliveries in its response", async () => {
  const call = post(
    "/v1/events/batch",
    batch(10, () => "test.limit"),
    service.key,
  );
  expect(await acceptedBeside(call)).toBeGreaterThan(0);
  const { status, body } = await call;
  expect(status).toBe(202);
  const [first, ...others] = body.data as Parsed[];
  expect([first.deliveries.length, first.subscribers.length, first.deliveries_omitted]).toEqual([1000, 1000, 1000]);
  expect(others.map((one) => [one.deliveries.length, one.subscribers.length, one.deliveries_omitted])).toEqual(
    others.map(() => [0, 0, 2000]),
  );
  const [made] = await service.database.query<{ n: number }>(
    "select (select count(*)::int from pending_delivery) + (select count(*)::int from delivery where event_name = 'test.limit') as n",
  );
  expect(made?.n).toBeGreaterThanOrEqual(20_000);
  expect(node.output()).not.toContain("heap");
});

test("a workspace has at most 5000 endpoints in an environment", async () => {
  await insertEndpoints(5000 - ENDPOINTS);
  const input = { url: "http://127.0.0.1:9/", events: ["test.one"] };
  const refused = await post("/v1/webhook-endpoints", input, service.key);
  expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  expect(refused.body.detail).toContain("at most 5000 webhook endpoints per environment");
  expect((await post("/v1/webhook-endpoints", input, neighbour)).status).toBe(201);
});
