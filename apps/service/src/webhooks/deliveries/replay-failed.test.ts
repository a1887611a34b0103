import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "5ms" } });
});
afterAll(async () => await service.close());

const HOUR = 3_600_000;
const range = (): { since: string; until: string } => ({
  since: new Date(Date.now() - HOUR).toISOString(),
  until: new Date(Date.now() + HOUR).toISOString(),
});

/** Fires `count` events, and waits until their deliveries are in this state. */
async function fireMany(subscription: Subscription, count: number, state: string): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ event: subscription.event, data: { n } }));
  const fired = await service.api("POST", "/v1/events/batch", { events });
  expect(fired.status).toBe(202);
  await settled(subscription, state, count);
}

async function settled({ path }: Subscription, state: string, count: number): Promise<void> {
  await service.until(`${path}/stats`, (stats) => stats[state] === count && stats["pending"] === 0);
}

test("dry_run returns the number of failed deliveries in the range and replays none", async () => {
  const failing = await subscribe(service, { status: 500 });
  await fireMany(failing, 3, "failed");
  const other = await subscribe(service, { status: 500 });
  await fireMany(other, 2, "failed");
  const count = async (body: object): Promise<unknown> => {
    const answer = await service.api("POST", `${failing.path}/replay-failed`, { ...body, dry_run: true });
    return [answer.status, answer.body];
  };
  expect(await count(range())).toEqual([200, { count: 3 }]);
  const past = {
    since: new Date(Date.now() - 2 * HOUR).toISOString(),
    until: new Date(Date.now() - HOUR).toISOString(),
  };
  expect(await count(past)).toEqual([200, { count: 0 }]);
  expect(failing.receiver.received).toHaveLength(6);
});

test("a job replays each failed delivery of its endpoint once", async () => {
  const failing = await subscribe(service);
  await fireMany(failing, 2, "delivered");
  failing.receiver.status(500);
  await fireMany(failing, 5, "failed");
  const other = await subscribe(service, { status: 500 });
  await fireMany(other, 1, "failed");
  failing.receiver.status(200);
  const answer = await service.api("POST", `${failing.path}/replay-failed`, range());
  expect(answer.status).toBe(202);
  expect(answer.body).toEqual({ count: 5, job_id: expect.stringMatching(/^job_/) });
  await settled(failing, "delivered", 7);
  expect(failing.receiver.received).toHaveLength(2 + 10 + 5);
  expect(other.receiver.received).toHaveLength(2);
  const [row] = await service.database.query<{ done: number; total: number; finished: boolean }>(
    "select done, total, finished_at is not null as finished from replay_job order by id desc limit 1",
  );
  expect(row).toEqual({ done: 5, total: 5, finished: true });
});

test("a job with several steps replays each delivery once when replays fail", async () => {
  const failing = await subscribe(service, { status: 500, more: { max_in_flight: 256 } });
  const batch = { events: Array.from({ length: 400 }, () => ({ event: failing.event, data: {} })) };
  await Promise.all([1, 2, 3].map(async () => await service.api("POST", "/v1/events/batch", batch)));
  await settled(failing, "failed", 1200);
  const answer = await service.api("POST", `${failing.path}/replay-failed`, range());
  expect(answer.body["count"]).toBe(1200);
  await failing.receiver.count(3600, 20_000);
  await settled(failing, "failed", 1200);
  const counts = await service.database.query<{ attempt_count: number; n: number }>(
    "select attempt_count, count(*)::int as n from delivery where event_name = $1 group by 1",
    [failing.event],
  );
  expect(counts).toEqual([{ attempt_count: 3, n: 1200 }]);
});

test("the next start resumes a job of a stopped node, not a finished one", async () => {
  const failing = await subscribe(service, { status: 500 });
  await fireMany(failing, 4, "failed");
  failing.receiver.status(200);
  // Creates the state that a node leaves when it is killed right after it accepted the job.
  const made = await service.api("POST", `${failing.path}/replay-failed`, {
    since: range().since,
    until: range().since,
  });
  expect(made.body["count"]).toBe(0);
  const open = "select count(*)::int as n from replay_job where finished_at is null";
  await expect.poll(async () => await service.database.query(open)).toEqual([{ n: 0 }]);
  await service.database.query(
    `update replay_job set until = now() + interval '1 hour', finished_at = null
      where id = (select id from replay_job order by id desc limit 1)`,
  );
  const next = await startService({ on: service, env: SHORT_LADDER });
  try {
    await settled(failing, "delivered", 4);
    expect(failing.receiver.received).toHaveLength(8 + 4);
    await expect.poll(async () => await service.database.query(open)).toEqual([{ n: 0 }]);
  } finally {
    await next.close();
  }
});

test("an invalid time, an unknown member and an inactive endpoint are refused", async () => {
  const failing = await subscribe(service);
  const call = async (body: unknown): Promise<unknown[]> => {
    const answer = await service.api("POST", `${failing.path}/replay-failed`, body);
    return [answer.status, answer.body["code"], answer.body["errors"]?.[0]?.pointer];
  };
  const { since, until } = range();
  expect(await call({ since })).toEqual([422, "validation_failed", expect.anything()]);
  expect(await call({ since: "yesterday", until })).toEqual([422, "validation_failed", "/since"]);
  expect(await call({ since, until: "2026-02-30T00:00:00Z" })).toEqual([422, "validation_failed", "/until"]);
  expect(await call({ since, until, all: true })).toEqual([422, "validation_failed", expect.anything()]);
  await service.api("POST", `${failing.path}/toggle`);
  expect((await call({ since, until })).slice(0, 2)).toEqual([409, "conflict"]);
  expect((await call({ since, until, dry_run: true }))[0]).toBe(200);
});

test("the response to a replay of failed deliveries matches the log afterwards", async () => {
  const log = deliveryLog(service);
  const failing = await subscribe(service, { status: 500 });
  const id = await failing.fire();
  await log.in(id, "failed");
  failing.receiver.status(200);
  await service.api("POST", `${failing.path}/replay-failed`, range());
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 3 });
  expect((await log.attempts(id)).at(-1)).toMatchObject({ number: 3, trigger: "replay" });
});
