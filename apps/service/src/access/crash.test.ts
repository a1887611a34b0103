import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { SELF_TEST_TAG } from "../lib/lib.ts";
import { startDoomedNode } from "../testing/crash-node.ts";
import type { ServiceProcess } from "../testing/process.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

const PATH = "/v1/webhook-endpoints";

/** Another node of the same installation, which keeps running when the first one is killed. */
let other: TestService;
let doomed: ServiceProcess;
/** A lock for which triggers wait, except those of the self-test of a node that starts, and the session that has it until the node is dead. */
const HOLD = 4713;
let holder: pg.Client;
beforeAll(async () => {
  other = await startService({ env: { JUNCTION_ROLES: "api" } });
  await other.database.query(`create function wait() returns trigger language plpgsql as $$ begin
    if new.tag <> '${SELF_TEST_TAG}' then perform pg_advisory_xact_lock(${HOLD}); end if; return new; end $$`);
  holder = new pg.Client({ connectionString: other.database.url });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await other.close();
});
beforeEach(async () => {
  doomed = await startDoomedNode(other);
});
afterEach(async () => await doomed.kill());

interface Crash {
  readonly url: string;
  readonly key: string;
}

async function create(baseUrl: string, { url, key }: Crash): Promise<void> {
  await fetch(baseUrl + PATH, {
    method: "POST",
    headers: { Authorization: `Bearer ${other.key}`, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ url, events: ["*"] }),
  });
}

async function repeat({ url, key }: Crash): Promise<ApiAnswer> {
  return await other.api("POST", PATH, { url, events: ["*"] }, { headers: { "Idempotency-Key": key } });
}

async function made({ url }: Crash): Promise<number> {
  return (await other.database.query("select 1 from endpoint where url = $1", [url])).length;
}

/** Kills the node while the trigger blocks the database. Resolves once the database has run all sent statements. */
async function crashAt(trigger: string): Promise<Crash> {
  const crash = { key: randomUUID(), url: `http://127.0.0.1:9/${randomUUID()}` };
  const { database } = other;
  await database.query(`create ${trigger} for each row execute function wait()`);
  await holder.query(`select pg_advisory_lock(${HOLD})`);
  const call = create(doomed.baseUrl, crash).catch(() => undefined);
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = ${HOLD} and pid <> ${await pidOf(holder)}`;
  while ((await database.query(waiting)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await doomed.kill();
  await call;
  await holder.query(`select pg_advisory_unlock(${HOLD})`);
  while ((await database.query(waiting)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [, name = "", table = ""] = /trigger (\w+) .* on (\w+)/.exec(trigger) ?? [];
  await database.query(`drop trigger ${name} on ${table}`);
  return crash;
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0;
}

async function expectDoneOnce(crash: Crash): Promise<void> {
  const waits = await repeat(crash);
  expect([waits.status, waits.body["code"]]).toEqual([409, "idempotency_in_progress"]);
  expect(await made(crash)).toBe(0);
  await other.database.query("update idempotency set leased_until = now() where key = $1", [crash.key]);
  const answers = [await repeat(crash), await repeat(crash)];
  expect(answers.map((answer) => [answer.status, answer.headers.get("idempotent-replayed")])).toEqual([
    [201, null],
    [201, "true"],
  ]);
  expect(answers[0]?.text).toBe(answers[1]?.text);
  expect(await made(crash)).toBe(1);
}

covers(
  "idempotency.repeat.original",
  "kill -9 during the effect leaves nothing; the repeat makes it once",
  async () => await expectDoneOnce(await crashAt("trigger hold before insert on endpoint")),
);

covers(
  "idempotency.repeat.original",
  "kill -9 between effect and record leaves neither; the repeat makes both once",
  async () => await expectDoneOnce(await crashAt("trigger hold before update on idempotency")),
);

covers(
  "idempotency.repeat.original",
  "kill -9 in the commit keeps the effect; the repeat only gets the answer",
  async () => {
    const crash = await crashAt("constraint trigger hold after update on idempotency deferrable initially deferred");
    expect(await made(crash)).toBe(1);
    const answer = await repeat(crash);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(answer.body["url"]).toBe(crash.url);
    expect(answer.body["secret"]).toMatch(/^whsec_/);
    expect(await made(crash)).toBe(1);
  },
);
