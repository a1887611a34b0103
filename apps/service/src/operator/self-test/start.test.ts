// These tests cover the self-test of real processes after their start.
import { afterEach, beforeEach, expect, test } from "vitest";
import { after, SELF_TEST_TAG, systemClock } from "../../lib/lib.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import type { ServiceProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
const TABLES = ["event", "endpoint", "inbox", "pending_delivery", "delivery", "attempt", "idempotency"];

/** A service that owns the database and delivers nothing. */
let base: TestService;
const started: ServiceProcess[] = [];

beforeEach(async () => {
  base = await startService({ env: { JUNCTION_ROLES: "api" } });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(async (one) => await one.stop()));
  await base.close();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const port = await freePort();
  const process = startProcess({ DATABASE_URL: base.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, ...env }, port);
  started.push(process);
  await process.ready();
  return process;
}

async function rows(): Promise<Record<string, number>> {
  const text = TABLES.map((table) => `select '${table}' as name, count(*)::int as n from ${table} where tag = $1`);
  const found = await base.database.query<{ name: string; n: number }>(text.join(" union all "), [SELF_TEST_TAG]);
  return Object.fromEntries(found.flatMap(({ name, n }) => (n === 0 ? [] : [[name, n]])));
}

/** Makes deliveries to the built-in inbox wait in the database. */
async function slowInbox(seconds: number): Promise<void> {
  await base.database.query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return new; end $$;
     create trigger slow before insert on inbox_message for each row execute function slow()`,
  );
}

test("a process tests itself after its start, once, and says so in its log", async () => {
  const service = await start();
  await expect.poll(() => service.output()).toContain('"msg":"self-test passed"');
  expect(service.output().indexOf("Junction is ready")).toBeLessThan(service.output().indexOf("self-test passed"));
  const { status } = await fetch(`${service.baseUrl}/readyz?deep=1`);
  expect(status).toBe(200);
  await expect.poll(rows).toEqual({});
});

test("a self-test that hangs delays neither the start nor any request", async () => {
  await slowInbox(8);
  const service = await start();
  const startedMs = performance.now();
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(7000);
  expect(service.output()).not.toContain("self-test passed");
});

test("each process of several tests itself, and their metrics are one", async () => {
  const service = await start({ JUNCTION_PROCESSES: "2" });
  await expect.poll(() => service.output().split('"msg":"self-test passed"').length - 1).toBe(2);
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(text).toMatch(/^junction_self_test_passed 1$/m);
  await expect.poll(rows).toEqual({});
});

test("rows of a run that kill -9 interrupted are deleted by a later run", async () => {
  await slowInbox(3);
  const killed = await start();
  await expect.poll(rows).toMatchObject({ event: 1, endpoint: 1, inbox: 1, pending_delivery: 1, idempotency: 1 });
  await killed.kill();
  started.splice(0);
  await base.database.query("drop trigger slow on inbox_message");
  const next = await start();
  await expect.poll(() => next.output()).toContain('"msg":"self-test passed"');
  // Rows of this age could belong to a run of another node.
  await expect.poll(rows).toMatchObject({ event: 1, endpoint: 1, inbox: 1, idempotency: 1 });
  const clock = { now: () => after(systemClock.now(), 130_000), monotonicMs: systemClock.monotonicMs };
  const later = await startService({ on: base, deps: { clock } });
  expect((await fetch(`${later.baseUrl}/readyz?deep=1`)).status).toBe(200);
  await expect.poll(rows).toEqual({});
  await later.close();
});
