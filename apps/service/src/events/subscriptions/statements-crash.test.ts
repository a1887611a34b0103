import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { ruleOn } from "../../testing/rules.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

/** Events of one call, about half as many customers: they share their batches. */
const EVENTS = 10;
const CUSTOMERS = 5;
/** More statements than a call and its reactions need, with those that a node sends by itself. */
const MOST_STATEMENTS = 200;

interface Counts {
  readonly events: number;
  readonly activities: number;
  readonly rule_runs: number;
  readonly score: number;
  readonly workflow_runs: number;
  readonly completed: number;
  readonly open: number;
  readonly errors: number;
}

const COUNTS = `select (select count(*) from event where name = 'order.created')::int as events,
  (select count(*) from activity where kind = 'event')::int as activities,
  (select count(*) from rule_run where status = 'ok')::int as rule_runs,
  (select coalesce(sum(score), 0) from contact)::int as score,
  (select count(*) from workflow_run)::int as workflow_runs,
  (select count(*) from workflow_run where state = 'completed')::int as completed,
  ((select count(*) from dispatch_stage where state in ('waiting', 'running')) + (select count(*) from pending_delivery)
    + (select count(*) from workflow_run where state in ('running', 'waiting')))::int as open,
  (select count(*) from dispatch_stage where error is not null)::int as errors`;

async function countsOf(service: TestService): Promise<Counts> {
  const [counts] = await service.database.query<Counts>(COUNTS);
  if (counts === undefined) throw new Error("the database returned no row");
  return counts;
}

/** Everything that a killed node holds is due at once, as a minute later. The database may still run its last statements. */
async function expireLeases(service: TestService, ofKilled: readonly number[]): Promise<void> {
  const sessions = "select query from pg_stat_activity where client_port = any ($1)";
  await expect.poll(async () => await service.database.query(sessions, [ofKilled])).toEqual([]);
  for (const table of ["dispatch_stage", "pending_delivery", "workflow_run"])
    await service.database.query(`update ${table} set due_at = now() where lease_id is not null`);
}

function ordersOf(call: number): object {
  return {
    events: Array.from({ length: EVENTS }, (_event, n) => {
      const who = `${call}-${n % CUSTOMERS}`;
      const customer = { external_id: who, email: `c${who}@example.com` };
      return { event: "order.created", data: { order: { external_id: `${call}-${n}` }, customer } };
    }),
  };
}

test("kill -9 before any statement loses no reaction and repeats none", { timeout: 1_800_000 }, async () => {
  const receiver = await startReceiver();
  // It only accepts: the nodes that follow take over what a killed one leaves.
  const watcher = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  const dataDir = await mkdtemp(join(tmpdir(), "junction-statements-"));
  onTestFinished(async () => {
    await watcher.close();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const proxy = await startDatabaseProxy(watcher.database.url);
  await watcher.endpoint(receiver.url, { events: ["order.created"] });
  await ruleOn(watcher, {
    on: ["order.created"],
    then: [{ type: "adjust_score", by: 1 }],
    max_runs_per_minute: 6000,
  });
  const workflow = await watcher.api("POST", "/v1/workflows", {
    name: "Remind",
    trigger: { event: "order.created" },
    steps: [{ id: "remind", type: "fire_event", event: "order.reminded", next: null, data: {} }],
  });
  expect(workflow.status).toBe(201);

  const env = {
    DATABASE_URL: proxy.url,
    JUNCTION_MASTER_KEY: MASTER_KEY,
    JUNCTION_DATA_DIR: dataDir,
    JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
    ...UNLIMITED,
  };
  const port = await freePort();
  const isDone = async (): Promise<boolean> => (await countsOf(watcher)).open === 0;
  /** Fires the call number `call`. Returns undefined when there is no answer. */
  const fire = async (call: number): Promise<number | undefined> =>
    await fetch(`http://127.0.0.1:${port}/v1/events/batch`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${watcher.key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": `call-${call}`,
      },
      body: JSON.stringify(ordersOf(call)),
    }).then(
      ({ status }) => status,
      () => undefined,
    );

  let calls = 0;
  for (let isKilled = true; isKilled && calls < MOST_STATEMENTS; calls += 1) {
    await expireLeases(watcher, proxy.takePorts());
    const node = startProcess(env, port);
    await node.ready();
    await expect.poll(isDone).toBe(true);
    // The client has no answer to its last call, or it has one: it repeats the call in both cases.
    if (calls > 0) expect(await fire(calls - 1)).toBe(202);
    await expect.poll(isDone).toBe(true);
    const { events, errors } = await countsOf(watcher);
    expect({ calls, events, errors }).toEqual({ calls, events: EVENTS * calls, errors: 0 });
    isKilled = false;
    const { promise: killed, resolve } = Promise.withResolvers<void>();
    proxy.dropAfter(calls, () => {
      isKilled = true;
      resolve(node.kill());
    });
    await fire(calls);
    await expect.poll(async () => isKilled || (await isDone())).toBe(true);
    if (isKilled) await killed;
    // A statement that a node sends by itself may reach the limit after the call's last one.
    const { open, completed } = await countsOf(watcher);
    if (open === 0 && completed === EVENTS * (calls + 1)) isKilled = false;
    proxy.dropAfter(Infinity, () => undefined);
    await node.kill();
  }
  // The last call was complete before its node reached the limit.
  const events = EVENTS * calls;
  expect(calls).toBeGreaterThan(15);
  expect(await countsOf(watcher)).toEqual({
    events,
    activities: events,
    rule_runs: events,
    score: events,
    workflow_runs: events,
    completed: events,
    open: 0,
    errors: 0,
  });
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.order.external_id)).size).toBe(events);
});
