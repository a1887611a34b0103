import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { mintKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;
let twin: TestService;
const env = {
  JUNCTION_RATE_LIMITS: '{"events.fire":30,"management.read":1000,"management.write":1000}',
  JUNCTION_TRUST_PROXIES: "127.0.0.1",
};

beforeAll(async () => {
  service = await startService({ env });
  twin = await startService({ env, on: service });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

/** Fires an event, again if the service was too busy for it, as with many at once on a slow machine. */
async function fire(key: TestKey, { on = service, from = "203.0.113.1" } = {}): Promise<ApiAnswer> {
  for (;;) {
    const answer = await on.api(
      "POST",
      "/v1/events/fire",
      { event: "a.b", data: {} },
      { key: key.key, headers: { "X-Forwarded-For": from } },
    );
    if (answer.status !== 503) return answer;
    await sleep(50);
  }
}

/** Drives one window directly, with calls and with time that passes on the database's clock. */
function windowOf(subject: string, limits: { minute: number; hour: number }) {
  let passed = 0;
  return {
    /** Requests `want` calls. Returns the result with its time in seconds. */
    async take(want: number): Promise<{ at: number; granted: number; retry: number }> {
      const [row] = await service.database.query<{ granted: number; retry_seconds: number; at: number }>(
        "select r.granted, r.retry_seconds, extract(epoch from clock_timestamp())::float8 as at from rate_take(3::smallint, $1, 'op', $2, $3, $4) r",
        [subject, limits.minute, limits.hour, want],
      );
      return { at: (row?.at ?? 0) + passed, granted: row?.granted ?? 0, retry: row?.retry_seconds ?? 0 };
    },
    /** Makes all counted calls older by whole seconds. The hourly window counts in minutes. */
    async pass(seconds: number): Promise<void> {
      passed += seconds;
      await service.database.query(
        `update rate_window set head = head - case when operation = '*' then $2::int / 60 else $2::int end where subject = $1`,
        [subject, seconds],
      );
    },
  };
}

function mostIn(calls: readonly number[], seconds: number): number {
  return Math.max(0, ...calls.map((end) => calls.filter((at) => at > end - seconds && at <= end).length));
}

/** The time span in which a call was made, in seconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the largest number of calls that certainly lie within `seconds`, at any moment of their spans. */
function mostSurelyIn(calls: readonly Span[], seconds: number): number {
  return Math.max(
    0,
    ...calls.map(({ from }) => calls.filter((call) => call.from >= from && call.to < from + seconds).length),
  );
}

covers("limit.rate.events-fire", "1 000 calls at a minute's end leave none for the next 60 seconds", async () => {
  const window = windowOf("edge", { minute: 1000, hour: 1_000_000 });
  const granted = async (): Promise<number> => (await window.take(1000)).granted;
  // The calls come at 59.9 s and 60.1 s of the clock, and once more just before the first ones are 60 seconds old.
  expect([await granted(), await granted()]).toEqual([1000, 0]);
  await window.pass(59);
  expect(await granted()).toBe(0);
  await window.pass(2);
  expect(await granted()).toBe(1000);
});

covers("error.rate.429", "no 60 seconds exceed the limit in any call pattern, and Retry-After is exact", async () => {
  let run = 0;
  const step = fc.record({ want: fc.integer({ min: 1, max: 7 }), wait: fc.integer({ min: 0, max: 70 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { minLength: 5, maxLength: 15 }),
      async (limit, steps) => {
        const window = windowOf(`minute-${(run += 1)}`, { minute: limit, hour: 1_000_000 });
        const granted: number[] = [];
        for (const { want, wait } of steps) {
          const answer = await window.take(want);
          granted.push(...Array.from({ length: answer.granted }, () => answer.at));
          // One more call passes after the announced seconds.
          if (answer.granted < want) {
            expect(answer.retry).toBeGreaterThanOrEqual(1);
            expect(answer.retry).toBeLessThanOrEqual(61);
            await window.pass(answer.retry);
            const again = await window.take(1);
            expect(again.granted).toBe(1);
            granted.push(again.at);
          }
          await window.pass(wait);
        }
        expect(mostIn(granted, 60)).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 40 },
  );
});

covers("key.rate.hourly", "no 60 minutes exceed the hourly limit, and Retry-After is exact to the second", async () => {
  let run = 0;
  const step = fc.record({ want: fc.integer({ min: 1, max: 5 }), minutes: fc.integer({ min: 0, max: 70 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { minLength: 4, maxLength: 10 }),
      async (limit, steps) => {
        const window = windowOf(`hour-${(run += 1)}`, { minute: 1_000_000, hour: limit });
        const granted: number[] = [];
        for (const { want, minutes } of steps) {
          const answer = await window.take(want);
          granted.push(...Array.from({ length: answer.granted }, () => answer.at));
          if (answer.granted < want) {
            // The oldest minutes leave at the turn of a minute, so the wait ends in the first second of a minute.
            const turns = (Math.floor(answer.at) + answer.retry) % 60;
            expect(turns).toBeLessThanOrEqual(1);
            await window.pass(Math.ceil(answer.retry / 60) * 60);
            const again = await window.take(1);
            expect(again.granted).toBe(1);
            granted.push(again.at);
          }
          await window.pass(minutes * 60);
        }
        expect(mostIn(granted, 3600)).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 40 },
  );
});

test("a call that is given back leaves what stays counted for its whole time", async () => {
  const window = windowOf("returned", { minute: 2, hour: 100 });
  const giveBack = async (): Promise<unknown> =>
    await service.database.query("select rate_return(3::smallint, 'returned', 'op')");
  await window.take(1);
  await window.pass(50);
  await window.take(1);
  await giveBack();
  await window.pass(15);
  // Only the later call is counted, so that one more reaches the limit.
  expect((await window.take(2)).granted).toBe(1);
  await giveBack();
  await giveBack();
  await giveBack();
  expect((await window.take(5)).granted).toBe(2);
});

covers("error.rate.429", "calls over many seconds on two nodes never exceed the limit of a window", async () => {
  const key = await mintKey(service);
  const granted: Span[] = [];
  let shift = 0;
  const now = (): number => shift + performance.now() / 1000;
  for (let round = 0; round < 12; round += 1) {
    const from = now();
    const answers = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => await fire(key, { on: at % 2 === 0 ? service : twin })),
    );
    const to = now();
    granted.push(...answers.filter((answer) => answer.status === 202).map(() => ({ from, to })));
    expect(answers.every((answer) => [202, 429].includes(answer.status))).toBe(true);
    // The next round appears to come 7 seconds later.
    shift += 7;
    await service.database.query("update rate_window set head = head - 7 where subject = $1 and operation <> '*'", [
      key.uuid,
    ]);
  }
  expect(mostSurelyIn(granted, 60)).toBeLessThanOrEqual(30);
  expect(granted.length).toBeGreaterThan(30);
});

covers("limit.rate.per-key", "new keys used for several operations at once on two nodes get all answers", async () => {
  for (let round = 0; round < 8; round += 1) {
    const keys = await Promise.all(Array.from({ length: 6 }, async () => await mintKey(service)));
    const answers = await Promise.all(
      [service, twin].flatMap((on) =>
        keys.flatMap((key) => [
          fire(key, { on }),
          on.api("GET", "/v1/events", undefined, { key: key.key }),
          on.api("POST", "/v1/webhooks/test", { url: "http://127.0.0.1:9/", dry_run: true }, { key: key.key }),
          on.api("POST", "/v1/webhook-endpoints", {}, { key: key.key }),
        ]),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202, 200, 422]));
  }
});

test("a call reads no more pages after a thousand calls under a held snapshot", async () => {
  const backup = new pg.Client(service.database.url);
  const [caller, subject] = [new pg.Client(service.database.url), "held"];
  await Promise.all([backup.connect(), caller.connect()]);
  const take = `select * from rate_take(3::smallint, '${subject}', 'op', 5000, 5000, 1)`;
  const pages = async (): Promise<number> => {
    const { rows } = await caller.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, costs off) ${take}`);
    return Number(/shared hit=(\d+)/.exec(rows[1]?.["QUERY PLAN"] ?? "")?.[1]);
  };
  await caller.query(take);
  await backup.query("begin isolation level repeatable read");
  await backup.query("select 1 from workspace");
  const before = await pages();
  await caller.query(
    `do $$ begin for n in 1..1000 loop perform rate_take(3::smallint, '${subject}', 'op', 5000, 5000, 1); commit; end loop; end $$`,
  );
  expect(await pages()).toBeLessThan(before + 20);
  await backup.query("commit");
  const [used] = await service.database.query(
    "select sum(slots[60] + slots[61]) > 0 as some, count(*)::int as windows from rate_window where subject = $1",
    [subject],
  );
  expect(used).toEqual({ some: true, windows: 2 });
  await Promise.all([backup.end(), caller.end()]);
});

test("two statements for a key's first calls wait in one order without a deadlock", async () => {
  const [first, second] = [new pg.Client(service.database.url), new pg.Client(service.database.url)];
  await Promise.all([first.connect(), second.connect()]);
  const take = async (on: pg.Client, operation: string): Promise<number> => {
    const { rows } = await on.query<{ granted: number }>(
      "select granted from rate_take(3::smallint, 'meeting', $1, 9, 9, 1)",
      [operation],
    );
    return rows[0]?.granted ?? 0;
  };
  // A statement of the service takes tokens for many calls. This one is blocked in the middle.
  await first.query("begin");
  expect(await take(first, "a")).toBe(1);
  const waiting = take(second, "b");
  await expect
    .poll(
      async () =>
        await service.database.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%meeting%'",
        ),
    )
    .toHaveLength(1);
  expect(await take(first, "b")).toBe(1);
  await first.query("commit");
  expect(await waiting).toBe(1);
  await Promise.all([first.end(), second.end()]);
});

covers(
  "key.allowlist.cidr",
  "calls from forbidden addresses never use up the limit, not even for a moment",
  async () => {
    const key = await mintKey(service, { ip_allowlist: ["203.0.113.0/24"] });
    const calls = Array.from({ length: 120 }, (_, at) => (at % 4 === 0 ? "203.0.113.5" : "198.51.100.9"));
    const answers = await Promise.all(
      calls.map(async (from, at) => await fire(key, { from, on: at % 3 === 0 ? service : twin })),
    );
    const counts = Map.groupBy(answers, (answer) => answer.status);
    expect([counts.get(202)?.length, counts.get(403)?.length ?? 0]).toEqual([30, 90 - (counts.get(429)?.length ?? 0)]);
    const good = answers.filter((_, at) => at % 4 === 0);
    expect(good.map((answer) => answer.status)).toEqual(good.map(() => 202));
  },
);

covers("key.rate.hourly", "a limit that is lowered below its usage and raised again applies each time", async () => {
  const key = await mintKey(service);
  const set = async (limit: number): Promise<number> =>
    (await service.api("PATCH", `/v1/keys/${key.id}`, { rate_limit_per_hour: limit })).status;
  const statuses = [];
  for (const limit of [500_000, 2, 1, 2, 3, 500_000])
    statuses.push(await set(limit), (await fire(key, { on: twin })).status);
  expect(statuses).toEqual([200, 202, 200, 202, 200, 429, 200, 429, 200, 202, 200, 202]);
});

covers("key.auth.bearer", "an address that guesses blocks no other, and may retry after Retry-After", async () => {
  const guess = async (from: string): Promise<ApiAnswer> =>
    await service.api("GET", "/v1/events", undefined, { key: "jn_live_guess", headers: { "X-Forwarded-For": from } });
  const answers = await Promise.all(Array.from({ length: 110 }, async () => await guess("198.51.100.77")));
  const refused = answers.filter((answer) => answer.status === 429);
  expect([refused.length, refused[0]?.body["code"]]).toEqual([10, "too_many_auth_failures"]);
  expect((await guess("198.51.100.78")).status).toBe(401);
  const seconds = Number(refused[0]?.headers.get("retry-after"));
  await service.database.query("update rate_window set head = head - $1 where subject = 'ip:198.51.100.77'", [seconds]);
  expect((await guess("198.51.100.77")).status).toBe(401);
});

test("a wrong signature counts against key and address, but blocks no valid calls", async () => {
  const made = await service.api("POST", "/v1/keys", { name: "s", permission_mode: "all", signing_secret: true });
  const other = await mintKey(service);
  const forged = {
    "X-Service-Key": String(made.body["id"]),
    "X-Service-Signature": "0".repeat(64),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
  };
  const answers = await Promise.all(
    Array.from(
      { length: 35 },
      async (_, at) =>
        await service.api("GET", "/v1/events", undefined, {
          key: null,
          headers: { ...forged, "X-Forwarded-For": `198.51.100.${at}` },
        }),
    ),
  );
  const codes = Map.groupBy(answers, (answer) => String(answer.body["code"]));
  expect([codes.get("signature_invalid")?.length, codes.get("too_many_auth_failures")?.length]).toEqual([30, 5]);
  expect((await service.api("GET", "/v1/me", undefined, { key: made.body["key"] })).status).toBe(200);
  expect((await service.api("GET", "/v1/me", undefined, { key: other.key })).status).toBe(200);
});
