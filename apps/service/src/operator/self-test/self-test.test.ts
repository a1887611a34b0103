import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { after, SELF_TEST_TAG, systemClock } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { startDatabaseProxy } from "../../testing/database-proxy.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

const LATER_MS = 61_000;
/** All lists that a customer can read, and the counts. */
const LISTS = ["events", "deliveries", "webhook-endpoints", "audit", "requests", "contacts", "inboxes"];
const USAGE = ["usage", "usage/series?hours=1", "usage/events"];

let service: TestService;
let aheadMs = 0;
const clock: Clock = {
  now: () => after(systemClock.now(), aheadMs),
  monotonicMs: () => systemClock.monotonicMs() + aheadMs,
};

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_ALLOW_TARGETS: "" }, deps: { clock } });
});
afterAll(async () => await service?.close());

async function deep(of: TestService = service): Promise<ApiAnswer> {
  return await of.api("GET", "/readyz?deep=1", undefined, { key: null });
}

/** Returns a result of a new run. */
async function fresh(): Promise<ApiAnswer> {
  aheadMs += LATER_MS;
  return await deep();
}

async function rowsLeft(of: TestService = service): Promise<string[]> {
  const tables = await of.database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tag'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const text = tables
    .map(({ name }) => `select '${name}' as name from ${name} where tag = '${SELF_TEST_TAG}'`)
    .join(" union all ");
  return (await of.database.query<{ name: string }>(text)).map(({ name }) => name);
}

/** Runs `work` while a trigger of the database makes one step fail. */
async function spoiled(table: string, body: string, work: () => Promise<void>): Promise<void> {
  await change(`create function spoil() returns trigger language plpgsql security definer as $$ begin ${body} end $$;
    create trigger spoil before insert on ${table} for each row execute function spoil()`);
  try {
    await work();
  } finally {
    await change(`drop trigger spoil on ${table}; drop function spoil()`);
  }
}

/** Changes the schema. Repeats it after a deadlock with the deletion of a run's rows. */
async function change(text: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    try {
      await service.database.query(text);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message === "deadlock detected") return false;
      throw error;
    }
  };
  await expect.poll(isDone).toBe(true);
}

test("the self-test passes with default settings and leaves no row and no count", async () => {
  const seen = async (): Promise<unknown[]> =>
    await Promise.all([...LISTS, ...USAGE].map(async (path) => (await service.api("GET", `/v1/${path}`)).body));
  const counted = async (): Promise<string> => {
    const { text } = await service.api("GET", "/metrics", undefined, { key: null });
    return text
      .split("\n")
      .filter((line) => /^junction_(events|deliver|attempt_dur).*(total|count)/.test(line))
      .join("\n");
  };
  const [before, countsBefore] = [await counted(), JSON.stringify((await seen()).slice(0, 4))];
  const answer = await deep();
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    status: "ok",
    checks: { database: "ok", accepting: "ok" },
    self_test: { status: "passed", failed_step: null, reason: null, detail: null },
  });
  await expect.poll(async () => await rowsLeft()).toEqual([]);
  expect(await counted()).toBe(before);
  expect(JSON.stringify((await seen()).slice(0, 4))).toBe(countsBefore);
  // Counts are written every five seconds.
  await sleep(6000);
  expect(await rowsLeft()).toEqual([]);
  const usage = await service.api("GET", "/v1/usage");
  expect(usage.body["total"]).toMatchObject({ events: 0, deliveries: 0, attempts: 0 });
});

test("callers within a minute share a result, and ten at once one run", async () => {
  const first = (await deep()).body["self_test"];
  expect((await deep()).body["self_test"]).toEqual(first);
  aheadMs += LATER_MS;
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await deep()));
  const results = new Set(answers.map(({ body }) => JSON.stringify(body["self_test"])));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(results.size).toBe(1);
  expect(results.has(JSON.stringify(first))).toBe(false);
});

test("a plain readiness check starts no run, and `deep` takes 0 and 1 alone", async () => {
  const { finished_at } = (await deep()).body["self_test"];
  aheadMs += LATER_MS;
  for (const path of ["/readyz", "/readyz?deep=0", "/readyz?cache=1"]) {
    const { status, body } = await service.api("GET", path, undefined, { key: null });
    expect([status, Object.keys(body)]).toEqual([200, ["status", "checks"]]);
  }
  expect(service.service.selfTest.last()).toMatchObject({ finished_at });
  const wrong = await service.api("GET", "/readyz?deep=yes", undefined, { key: null });
  expect([wrong.status, wrong.body["code"]]).toEqual([400, "query_invalid"]);
});

test("a run passes when a workspace's request starts it", async () => {
  const { finished_at: before } = (await deep()).body["self_test"];
  aheadMs += LATER_MS;
  for (const key of [service.key, service.sandboxKey]) {
    expect((await service.api("GET", "/v1/attention", undefined, { key })).status).toBe(200);
  }
  await expect.poll(() => service.service.selfTest.last()?.finished_at).not.toBe(before);
  expect(service.service.selfTest.last()).toMatchObject({ status: "passed", detail: null });
});

interface Spoil {
  readonly step: string;
  readonly reason: string;
  readonly when: string;
  readonly table: string;
  /** The body of a trigger before each insert into the table. */
  readonly body: string;
}

const SPOILS: readonly Spoil[] = [
  {
    step: "accepted",
    reason: "internal_error",
    when: "the commit fails",
    table: "event",
    body: "raise exception 'spoiled';",
  },
  { step: "stored", reason: "not_stored", when: "the event is not written", table: "event", body: "return null;" },
  {
    step: "stored",
    reason: "stored_differs",
    when: "other data is written",
    table: "event",
    body: `new.data := '{"nonce":"other"}'; return new;`,
  },
  {
    step: "dispatched",
    reason: "not_dispatched",
    when: "the endpoint does not listen",
    table: "endpoint",
    body: "new.active := false; return new;",
  },
  {
    step: "delivered",
    reason: "delivery_lost",
    when: "no delivery is written",
    table: "pending_delivery",
    body: "return null;",
  },
  {
    step: "delivered",
    reason: "attempt_failed",
    when: "the inbox refuses",
    table: "inbox_message",
    body: "raise exception 'spoiled';",
  },
  {
    step: "verified",
    reason: "not_received",
    when: "the inbox keeps nothing",
    table: "inbox_message",
    body: "return null;",
  },
  {
    step: "verified",
    reason: "signature_wrong",
    when: "the body changes on its way",
    table: "inbox_message",
    body: "new.body := new.body || ' '; return new;",
  },
  {
    step: "verified",
    reason: "signature_wrong",
    when: "the inbox finds the signature invalid",
    table: "inbox_message",
    body: "new.signature := 'invalid'; return new;",
  },
  {
    step: "verified",
    reason: "ids_differ",
    when: "another event arrives",
    table: "inbox_message",
    body: "new.event := 'other'; return new;",
  },
];

test.each(SPOILS)("step $step fails with $reason when $when", async ({ step, reason, table, body }) => {
  await spoiled(table, body, async () => {
    const answer = await fresh();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(answer.body).toMatchObject({
      code: "service_unavailable",
      checks: { database: "ok", accepting: "ok" },
      self_test: { status: "failed", failed_step: step, reason },
    });
    expect(answer.body["detail"]).toContain(`failed at the step "${step}"`);
    // Internal details belong only in the log.
    expect(answer.text).not.toMatch(/spoil|zzzzzzzy|\/inbox\/|"zz/);
  });
  await expect.poll(async () => await rowsLeft()).toEqual([]);
  expect((await fresh()).status).toBe(200);
});

test("the step delivered fails with the class of the attempt's error when nothing listens", async () => {
  const deaf = await startService();
  await deaf.service.http.close();
  expect(await deaf.service.selfTest.current()).toMatchObject({
    status: "failed",
    failed_step: "delivered",
    reason: "attempt_failed",
    detail: "The attempt failed: connect.",
  });
  await expect.poll(async () => await rowsLeft(deaf)).toEqual([]);
  await deaf.close();
});

test("a delivery that no worker sends ends the run at the step delivered", async () => {
  const idle = await startService({ on: service, env: { JUNCTION_ROLES: "api" } });
  const worker = service.service.deliver;
  await worker.stop();
  const startedMs = performance.now();
  const answer = await deep(idle);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  expect(answer.body["self_test"]).toMatchObject({ failed_step: "delivered", reason: "timed_out" });
  await expect.poll(async () => await rowsLeft()).toEqual([]);
  await idle.close();
});

test("an unavailable database fails the step accepted in time, without its address", async () => {
  const proxy = await startDatabaseProxy(service.database.url);
  const away = await startService({ on: service, env: { DATABASE_URL: proxy.url } });
  proxy.cut();
  const refused = await deep(away);
  expect(refused.body).toMatchObject({
    status: 503,
    checks: { database: "failed", accepting: "ok" },
    self_test: { failed_step: "accepted", reason: "database_unavailable" },
  });
  expect(refused.text).not.toContain(new URL(proxy.url).port);
  proxy.restore();
  await away.close();
});

test("a silent database ends the run in time, and the service still stops", async () => {
  const proxy = await startDatabaseProxy(service.database.url);
  const silent = await startService({ on: service, env: { DATABASE_URL: proxy.url } });
  proxy.swallow();
  const startedMs = performance.now();
  const answer = await deep(silent);
  expect(performance.now() - startedMs).toBeLessThan(25_000);
  expect(answer.body["self_test"]).toMatchObject({ status: "failed", failed_step: "accepted" });
  proxy.restore();
  await silent.close();
});

test("two processes on one database pass concurrently without sharing deliveries", async () => {
  const one = await startService();
  const other = await startService({ on: one });
  const answers: Parsed[] = await Promise.all([deep(one), deep(other)].map(async (answer) => (await answer).body));
  expect(answers.map((body) => body["self_test"]["status"])).toEqual(["passed", "passed"]);
  await expect.poll(async () => await rowsLeft(one)).toEqual([]);
  await other.close();
  await one.close();
});

test("a stop during a run aborts it and deletes its rows", async () => {
  const stopped = await startService();
  await stopped.database.query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
     create trigger slow before insert on inbox_message for each row execute function slow()`,
  );
  const answer = deep(stopped).catch(() => undefined);
  await expect.poll(async () => await rowsLeft(stopped)).toContain("event");
  const startedMs = performance.now();
  await stopped.service.stop();
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  await answer;
  expect(await rowsLeft(stopped)).toEqual([]);
  await stopped.database.drop();
});

test("the attention shows the latest result; one older than a minute starts a run", async () => {
  const quiet = await startService({ deps: { clock } });
  const shown = async (): Promise<Parsed> => (await quiet.api("GET", "/v1/attention")).body["self_test"];
  expect(await shown()).toBeNull();
  quiet.service.selfTest.start();
  await expect.poll(shown).toMatchObject({ status: "passed" });
  const first = await shown();
  aheadMs += LATER_MS;
  await expect.poll(async () => (await shown())["finished_at"]).not.toBe(first["finished_at"]);
  await quiet.close();
});

test("metrics have the result, its time and its duration", async () => {
  const measured = await startService();
  const read = async (): Promise<Map<string, number>> => {
    const { text } = await measured.api("GET", "/metrics", undefined, { key: null });
    return new Map(
      [...text.matchAll(/^junction_self_test_(\w+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
    );
  };
  expect([...(await read()).values()]).toEqual([0, 0, 0]);
  await deep(measured);
  const metrics = await read();
  expect(metrics.get("passed")).toBe(1);
  expect(Math.abs((metrics.get("timestamp_seconds") ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  expect(metrics.get("duration_seconds")).toBeGreaterThan(0);
  await measured.close();
});
