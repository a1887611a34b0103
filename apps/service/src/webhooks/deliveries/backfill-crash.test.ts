import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const KILLS = 4;
const EVENTS = 7000;

let survivor: TestService;
beforeAll(async () => {
  survivor = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
});
afterAll(async () => await survivor.close());

test("kill -9 during a backfill loses no event and sends none twice", async () => {
  const sub = await subscribe(survivor, { more: { max_in_flight: 64 } });
  await survivor.api("POST", `${sub.path}/toggle`);
  const ids: string[] = [];
  while (ids.length < EVENTS) {
    const events = Array.from({ length: 500 }, () => ({ event: sub.event, data: {} }));
    const { body } = await survivor.api("POST", "/v1/events/batch", { events });
    ids.push(...body["data"].map(({ id }: Parsed) => id));
  }
  await survivor.api("POST", `${sub.path}/toggle`);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const jobs = new Set<string>();
  for (let kill = 0; kill <= KILLS; kill += 1) {
    // Each node resumes the jobs of those before it, and gets one more.
    const node = startProcess(
      { DATABASE_URL: survivor.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" },
      await freePort(),
    );
    await node.ready();
    const made = await fetch(`${node.baseUrl}/v1/webhook-endpoints/${sub.endpoint.id}/backfill`, {
      method: "POST",
      headers: { Authorization: `Bearer ${survivor.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ from }),
    });
    expect(made.status).toBe(202);
    const { job_id: added } = (await made.json()) as { job_id: string };
    jobs.add(added);
    if (kill < KILLS) await sleep(Math.random() * 600);
    else
      for (const job of jobs) await survivor.until(`/v1/replays/${job}`, ({ state }) => state === "finished", 120_000);
    await node.kill();
  }
  const done = await Promise.all(
    [...jobs].map(async (job) => (await survivor.api("GET", `/v1/replays/${job}`)).body["done"]),
  );
  expect(done.reduce((sum, one) => sum + one, 0)).toBe(EVENTS);
  const made = await survivor.database.query<{ event_id: string }>(
    "select event_id from pending_delivery where event_name = $1 union all select event_id from delivery where event_name = $1",
    [sub.event],
  );
  expect(made.map(({ event_id: id }) => id).toSorted()).toEqual(ids.map(uuidOf).toSorted());
});

test("a running node takes over a backfill that does not move", async () => {
  const worker = await startService({ on: survivor, env: UNLIMITED });
  try {
    const sub = await subscribe(survivor);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { job_id: job } = (await survivor.api("POST", `${sub.path}/backfill`, { from })).body;
    await survivor.until(`/v1/replays/${job}`, ({ state }) => state === "finished");
    await survivor.api("POST", `${sub.path}/toggle`);
    await survivor.fire(sub.event, {});
    await survivor.api("POST", `${sub.path}/toggle`);
    // Creates the state that a node leaves when it is killed right after it accepted the job.
    await survivor.database.query("update replay_job set finished_at = null, until = now() where id = $1", [
      uuidOf(job),
    ]);
    const ended = await survivor.until(`/v1/replays/${job}`, ({ state }) => state === "finished", 120_000);
    expect(ended).toMatchObject({ done: 1 });
    await sub.receiver.count(1);
  } finally {
    await worker.close();
  }
});
