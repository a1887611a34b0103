import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

const WRITERS = 8;
const SECONDS = 12;
const KILLED =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

/** Repeats a call until it is answered: its connection to the database may be ended at any time. */
async function answered(call: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (;;) {
    const answer = await call().catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return answer;
    await sleep(20);
  }
}

/** Creates an endpoint. Its connection may be ended too. */
async function madeEndpoint(): Promise<PullEndpoint> {
  for (;;) {
    const endpoint = await pullEndpoint(service).catch(() => undefined);
    if (endpoint !== undefined) return endpoint;
    await sleep(20);
  }
}

/** Reads all messages, checks that their offsets are dense, and counts what was leased again. */
async function readAll(endpoint: PullEndpoint, isDone: () => boolean): Promise<{ seen: number[]; ids: string[] }> {
  const seen: number[] = [];
  const ids: string[] = [];
  for (let next = 1; ;) {
    const pulled = await answered(async () => await endpoint.pull({ limit: 50, wait_seconds: 1, lease_seconds: 5 }));
    if (pulled.status === 409) {
      // The response that had the lease was lost.
      await sleep(200);
      continue;
    }
    if (pulled.body["lease"] === null) {
      if (isDone()) return { seen, ids };
      continue;
    }
    expect(offsetsIn(pulled)[0]).toBe(next);
    for (const offset of offsetsIn(pulled)) {
      expect(offset).toBe(next);
      next += 1;
    }
    const lease_id = leaseIn(pulled);
    const committed = await answered(async () => await endpoint.call("commit", { consumer: "c", lease_id }));
    expect(committed.status).toBe(204);
    seen.push(...(numbersIn(pulled) as number[]));
    ids.push(...pulled.body["messages"].map((one: { delivery_id: string }) => one.delivery_id));
  }
}

test("ended connections and slow writers lose, repeat and reorder no message", { timeout: 180_000 }, async () => {
  const endpoint = await madeEndpoint();
  const until = Date.now() + SECONDS * 1000;
  let isDone = false;
  const reading = readAll(endpoint, () => isDone);
  const accepted: number[][] = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const own: number[] = [];
      for (let n = writer * 1_000_000; Date.now() < until; n += 1) {
        const on = (n + writer) % 2 === 0 ? service : twin;
        // A repeated call has the same key, so that an event whose response was lost is fired once.
        const headers = { "Idempotency-Key": `n-${n}` };
        const body = { event: endpoint.event, data: { n } };
        const fired = await answered(async () => await on.api("POST", "/v1/events/fire", body, { headers }));
        expect(fired.status).toBe(202);
        own.push(n);
      }
      return own;
    }),
  )
    .finally(() => (isDone = true))
    .then(async (all) => {
      await sleep(1500);
      return all;
    });
  const { seen, ids } = await reading;
  expect(new Set(ids).size).toBe(ids.length);
  for (const [writer, own] of accepted.entries())
    expect(seen.filter((n) => Math.floor(n / 1_000_000) === writer)).toEqual(own);
  expect(seen).toHaveLength(accepted.flat().length);
});

/** A node ends if its connections end while it starts, and is then started again. */
async function startedNode(): Promise<ReturnType<typeof startProcess>> {
  for (;;) {
    const env = { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY };
    const node = startProcess({ ...UNLIMITED, ...env, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, await freePort());
    if (
      await node.ready().then(
        () => true,
        () => false,
      )
    )
      return node;
  }
}

test("kill -9 of writing nodes loses no message that was accepted", { timeout: 180_000 }, async () => {
  const endpoint = await madeEndpoint();
  let isDone = false;
  const reading = readAll(endpoint, () => isDone);
  const accepted: number[] = [];
  const statuses = new Set<number>();
  let n = 0;
  for (let kill = 0; kill < 4; kill += 1) {
    const node = await startedNode();
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const data = { n: (n += 1) };
          const fired = await fetch(`${node.baseUrl}/v1/events/fire`, {
            method: "POST",
            headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
            body: JSON.stringify({ event: endpoint.event, data }),
          }).catch(() => undefined);
          if (fired === undefined) return;
          statuses.add(fired.status);
          if (fired.status === 202) accepted.push(data.n);
          else await sleep(10);
        }
      }),
    );
    const before = accepted.length;
    await expect.poll(() => accepted.length - before).toBeGreaterThan(8);
    await sleep(Math.random() * 500);
    await node.kill();
    await writing;
  }
  // A claimer finds the messages that a killed node has not numbered.
  await sleep(2500);
  await service.database.query("select pg_notify('junction_due', '')");
  await sleep(1500);
  isDone = true;
  const { seen, ids } = await reading;
  expect(new Set(ids).size).toBe(ids.length);
  expect(accepted.filter((one) => !seen.includes(one))).toEqual([]);
  expect([...statuses].toSorted()).toContain(202);
  expect(accepted.length).toBeGreaterThan(20);
});

beforeAll(() => {
  // The connections of both nodes end at random while the tests run.
  let isOver = false;
  const ending = (async () => {
    while (!isOver) {
      await sleep(400 + Math.random() * 800);
      await service.database
        .query(
          `${KILLED} and application_name like 'junction%' and application_name not like '%listen%' order by random() limit 2`,
        )
        .catch(() => undefined);
    }
  })();
  return async () => {
    isOver = true;
    await ending;
  };
});
