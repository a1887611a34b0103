import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCrashNode } from "../../testing/crash-node.ts";
import type { CrashNode } from "../../testing/crash-node.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed } from "../../testing/test-service.ts";

let node: CrashNode;
let database: TestDatabase;
let receiver: Receiver;

beforeEach(async () => {
  database = await cloneDatabase();
  node = await createCrashNode({ ...UNLIMITED, DATABASE_URL: database.url, JUNCTION_MASTER_KEY: MASTER_KEY });
  receiver = await startReceiver();
  await node.start();
});
afterEach(async () => {
  await node.close();
  await receiver.close();
  await database.drop();
});

async function call(method: string, path: string, body?: unknown): Promise<Parsed> {
  return await (await node.send(method, path, body)).json();
}

/** Ends all leases, so that the runs and deliveries of the dead node are free at once. */
async function endLeases(): Promise<void> {
  await database.query("update workflow_run set due_at = now() where lease_id is not null");
  await database.query("update pending_delivery set due_at = now() where lease_id is not null");
  await database.query("update dispatch_stage set due_at = now() where state in ('waiting', 'running')");
}

const STEPS = (url: string): readonly object[] => [
  { id: "choose", type: "condition", when: { field: "data.total", op: "gte", value: 1 }, then: "fire", else: null },
  { id: "fire", type: "fire_event", event: "crash.fired", data: { total: "${$.data.total}" } },
  { id: "pause", type: "delay", seconds: 1 },
  { id: "hook", type: "webhook", url },
  { id: "last", type: "fire_event", event: "crash.last" },
];

const IDS = ["choose", "fire", "pause", "hook", "last"];

async function startWorkflow(): Promise<() => Promise<Parsed>> {
  const body = { name: "Crash", trigger: { event: "crash.start" }, steps: STEPS(receiver.url) };
  const workflow = await call("POST", "/v1/workflows", body);
  await call("POST", "/v1/events/fire", { event: "crash.start", data: { total: 1 } });
  return async () => (await call("GET", `/v1/workflows/${workflow.id}/runs`)).data;
}

async function expectDoneOnce(runs: () => Promise<Parsed>): Promise<void> {
  await expect
    .poll(async () => (await runs()).map((run: Parsed) => run.state), { timeout: 60_000 })
    .toEqual(["completed"]);
  const run = await call("GET", `/v1/workflows/runs/${(await runs())[0].id}`);
  expect(run.steps.map((one: Parsed) => `${one.id} ${one.state}`)).toEqual(IDS.map((id) => `${id} completed`));
  for (const event of ["crash.fired", "crash.last"]) {
    expect((await call("GET", `/v1/events?event=${event}`)).data).toHaveLength(1);
  }
  expect((await call("GET", "/v1/deliveries")).data).toHaveLength(1);
}

/** Also covers a node that is killed right after the commit of the previous step. */
test.each(IDS)("a run killed during its step %s finishes and repeats nothing", async (step) => {
  // The trigger fires after the step's effect and before its commit.
  await database.query(`create function hang() returns trigger language plpgsql as $$ begin
      if new.step_id = '${step}' then perform pg_advisory_xact_lock(4711); end if; return new; end $$`);
  await database.query("create trigger hang before insert on workflow_step for each row execute function hang()");
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("select pg_advisory_lock(4711)");
  const runs = await startWorkflow();
  const hanging = "select pid from pg_locks where locktype = 'advisory' and not granted and objid = 4711";
  await expect.poll(async () => await database.query(hanging)).toHaveLength(1);
  await node.kill();
  // Without this, the server would take time to notice that the node is gone.
  await database.query(`select pg_terminate_backend(pid) from (${hanging}) h`);
  await database.query("drop trigger hang on workflow_step");
  await holder.end();
  await node.start();
  await endLeases();
  await expectDoneOnce(runs);
  expect(receiver.received).toHaveLength(1);
});

test("a run killed during its delivery continues after a new node delivers it", async () => {
  receiver.answer(() => undefined);
  const runs = await startWorkflow();
  const [first] = await receiver.count(1);
  await node.kill();
  receiver.status(200);
  await node.start();
  await endLeases();
  await expectDoneOnce(runs);
  const ids = receiver.received.map(({ headers }) => headers["x-service-delivery"]);
  expect(ids).toEqual([first?.headers["x-service-delivery"], first?.headers["x-service-delivery"]]);
});
