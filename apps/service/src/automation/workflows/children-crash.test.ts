import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCrashNode } from "../../testing/crash-node.ts";
import type { CrashNode } from "../../testing/crash-node.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { MASTER_KEY } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed } from "../../testing/test-service.ts";

let node: CrashNode;
let database: TestDatabase;

beforeEach(async () => {
  database = await cloneDatabase();
  node = await createCrashNode({ ...UNLIMITED, DATABASE_URL: database.url, JUNCTION_MASTER_KEY: MASTER_KEY });
  await node.start();
});
afterEach(async () => {
  await node.close();
  await database.drop();
});

async function call(method: string, path: string, body?: unknown): Promise<Parsed> {
  return await (await node.send(method, path, body)).json();
}

const fire = (id: string, data: object = {}): object => ({ id, type: "fire_event", event: `crashed.${id}`, data });
const STEPS = [
  { id: "loop", type: "for_each", in: [1, 2, 3], steps: [fire("item", { n: "${item}" })] },
  { id: "both", type: "parallel", branches: [[fire("one")], [fire("two")]] },
  fire("last"),
];

const IS_CHILD = "new.parent_id is not null";
const IS_PARENT = "new.parent_id is null and old.state = 'waiting'";

test.each([
  ["the first items are stored", "insert", IS_CHILD],
  ["an item ends", "update", `${IS_CHILD} and old.ended_at is null and new.ended_at is not null`],
  [
    "its run is made due",
    "update",
    `${IS_PARENT} and new.state = 'waiting' and new.lease_id is not distinct from old.lease_id`,
  ],
  ["the next item starts", "update", `${IS_CHILD} and old.queued and not new.queued`],
  ["the step ends", "update", `${IS_PARENT} and new.state = 'running'`],
])("a run killed while %s repeats nothing", async (_name, change, when) => {
  await database.query(`create function hang() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(4713); return new; end $$`);
  await database.query(
    `create trigger hang before ${change} on workflow_run for each row when (${when}) execute function hang()`,
  );
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("select pg_advisory_lock(4713)");
  const workflow = await call("POST", "/v1/workflows", {
    name: "Crash",
    trigger: { event: "crashed.start" },
    steps: STEPS,
  });
  await call("POST", "/v1/events/fire", { event: "crashed.start", data: {} });
  const hanging = "select pid from pg_locks where locktype = 'advisory' and not granted and objid = 4713";
  await expect.poll(async () => (await database.query(hanging)).length, { timeout: 20_000 }).toBeGreaterThan(0);
  await node.kill();
  // Without this, the server would take time to notice that the node is gone.
  await database.query(`select pg_terminate_backend(pid) from (${hanging}) h`);
  await database.query("drop trigger hang on workflow_run");
  await holder.end();
  await node.start();
  await database.query("update workflow_run set due_at = now() where lease_id is not null");
  await database.query("update dispatch_stage set due_at = now() where state in ('waiting', 'running')");
  const states = async (): Promise<Parsed> =>
    (await call("GET", `/v1/workflows/${workflow.id}/runs`)).data.map((run: Parsed) => run.state);
  await expect.poll(states, { timeout: 60_000 }).toEqual(["completed"]);
  const fired = await database.query<{ name: string; n: number }>(
    "select name, count(*)::int as n from event where name like 'crashed.%' group by name order by name",
  );
  expect(fired.map(({ name, n }) => `${name} ${n}`)).toEqual([
    "crashed.item 3",
    "crashed.last 1",
    "crashed.one 1",
    "crashed.start 1",
    "crashed.two 1",
  ]);
  expect(await database.query("select 1 from workflow_run where due_at is not null and ended_at is null")).toEqual([]);
});
