import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createIdMaker, systemClock } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { createTelemetry } from "../telemetry/telemetry.ts";
import type { MailRow } from "../mail/mail.ts";
import { taskRowsOf } from "./task-rows.store.ts";
import { createTasks } from "./tasks.ts";
import type { RunningTask, Tasks } from "./tasks.ts";

/** A service without a mail server, so that only the queues of these tests send mails. */
let service: TestService;
let nodes: Loop[] = [];
let warnings: string[] = [];

const BUCKET = 3;
const ids = createIdMaker(systemClock);

beforeAll(async () => (service = await startService()));
afterEach(async () => {
  await Promise.all(nodes.map(async ({ stop }) => await stop()));
  nodes = [];
  warnings = [];
  await service.database.query("delete from mail");
});
afterAll(async () => await service.close());

async function due(tag: string, count: number): Promise<void> {
  await service.database.query(
    `insert into mail (bucket, tag, id, purpose, recipient, due_at)
      select $1, $2, gen_random_uuid(), 'notification', $2, now() - interval '1 minute' from generate_series(1, $3)`,
    [BUCKET, tag, count],
  );
}

async function settle(row: MailRow): Promise<void> {
  await service.database.query(
    "update mail set state = 'sent', due_at = null, lease_id = null where id = $1 and lease_id = $2",
    [row.id, row.lease_id],
  );
}

interface Node {
  readonly tasks: Tasks;
  readonly queue: Loop;
}

function node(run: (row: MailRow, running: RunningTask) => Promise<void>, ofTenant = 64, works = true): Node {
  const { log } = createTelemetry("silent");
  log.warn = (_fields: unknown, message?: string) => void warnings.push(message ?? "");
  const tasks = createTasks({ db: service.service.db, ids, log, works });
  const queue = tasks.define<MailRow>({
    kind: "test mails",
    table: "mail",
    concurrency: { ofNode: 64, ofTenant },
    run,
  });
  nodes.push(queue);
  queue.start();
  return { tasks, queue };
}

const countDue = async (): Promise<number> =>
  (await service.database.query<{ n: number }>("select count(*)::int as n from mail where due_at is not null"))[0]?.n ??
  0;

test("two nodes run each of 300 tasks once", async () => {
  const runs = new Map<string, number>();
  const run = async (row: MailRow): Promise<void> => {
    runs.set(row.id, (runs.get(row.id) ?? 0) + 1);
    await settle(row);
  };
  for (const tag of ["a", "b", "c"]) await due(tag, 100);
  node(run);
  node(run);
  await expect.poll(countDue, { timeout: 30_000 }).toBe(0);
  expect([runs.size, Math.max(...runs.values())]).toEqual([300, 1]);
});

test("tasks of one tenant that hang leave places to those of another", async () => {
  const hung = new Set<() => void>();
  const ended: string[] = [];
  const run = async (row: MailRow): Promise<void> => {
    if (row.tag === "slow") await new Promise<void>((resolve) => hung.add(resolve));
    ended.push(row.tag);
    await settle(row);
  };
  await due("slow", 500);
  node(run, 4);
  await expect.poll(() => hung.size).toBe(4);
  node(run, 4);
  await due("quick", 20);
  await expect.poll(() => ended.length, { timeout: 20_000 }).toBe(20);
  expect([hung.size, new Set(ended)]).toEqual([4, new Set(["quick"])]);
  await service.database.query("delete from mail");
  for (const end of hung) end();
});

test("a task of a killed node is repeated when its lease has ended", async () => {
  await due("killed", 1);
  await service.database.query("update mail set lease_id = $1, attempts = 1, due_at = now() + interval '1 hour'", [
    randomUUID(),
  ]);
  const tries: number[] = [];
  node(async (row) => {
    tries.push(row.attempts);
    await settle(row);
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(tries).toEqual([]);
  await service.database.query("update mail set due_at = now()");
  await expect.poll(() => tries, { timeout: 20_000 }).toEqual([2]);
});

test("a lease is prolonged only while it holds the row", async () => {
  await due("held", 1);
  const { db } = service.service;
  const rows = taskRowsOf<MailRow>({ table: "mail", open: "due_at is not null" });
  const [row] = await rows.claim(db, BUCKET, ids.uuid(), { limit: 1, ofTenant: 1 });
  if (row === undefined) throw new Error("nothing was claimed");
  const expires = async (): Promise<boolean> =>
    (
      await service.database.query<{ soon: boolean }>("select due_at < now() + interval '5 seconds' as soon from mail")
    )[0]?.soon === true;
  const hurry = "update mail set due_at = now() + interval '1 second'";
  await service.database.query(hurry);
  await rows.renew(db, BUCKET, [row]);
  expect(await expires()).toBe(false);
  await service.database.query(`${hurry}, lease_id = $1`, [randomUUID()]);
  await rows.renew(db, BUCKET, [row]);
  await rows.release(db, row, 0, true);
  expect(await expires()).toBe(true);
});

test("a task that throws is repeated with a growing pause, and its tries count", async () => {
  await due("failing", 1);
  const tries: number[] = [];
  node(async (row) => {
    tries.push(row.attempts);
    if (row.attempts < 3) throw new Error("the other system is away");
    await settle(row);
  });
  await expect.poll(() => tries, { timeout: 20_000 }).toEqual([1, 2, 3]);
  expect(warnings).toEqual(["a task failed; it is repeated", "a task failed; it is repeated"]);
});

test("a node that stops gives back what it has not finished", async () => {
  await due("stopped", 1);
  const { queue } = node(
    async (_row, { stopping }) =>
      await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve(), { once: true })),
  );
  const leased = "select lease_id is not null as leased, due_at <= now() as due, attempts from mail";
  await expect.poll(async () => (await service.database.query(leased))[0]).toMatchObject({ leased: true });
  await queue.stop();
  expect(await service.database.query(leased)).toEqual([{ leased: false, due: true, attempts: 0 }]);
});

test("each kind has a lag; a process that only accepts requests runs nothing", async () => {
  await due("late", 1);
  const { tasks } = node(async (row) => await settle(row), 64, false);
  const [lag] = await tasks.lags();
  expect([lag?.kind, Math.round((lag?.seconds ?? 0) / 10)]).toEqual(["test mails", 6]);
  expect(await countDue()).toBe(1);
});
