import pg from "pg";
import { expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { createAdmission } from "./admission.ts";
import type { Admission } from "./admission.ts";

/** Spellings that the router reads as the same path. */
const SPELLINGS = ["/v1/events/fire", "/v1/events/%66ire", "/v1/events/fire?"];

interface Load {
  /** Incoming requests per second. */
  readonly offered: number;
  /** Requests per second that can be processed, one after the other. */
  readonly workedOff: number;
  readonly seconds: number;
}

/** Runs a load against an admission, a millisecond at a time. Returns how long each accepted request took. */
function played(loads: readonly Load[]): { accepted: number; refused: number; tookMs: number[] }[] {
  let nowMs = 0;
  const admission = createAdmission({ monotonicMs: () => nowMs });
  const queue: number[] = [];
  return loads.map(({ offered, workedOff, seconds }) => {
    const [refusedBefore, tookMs] = [admission.refused, [] as number[]];
    let [accepted, arriving, ending] = [0, 0, 0];
    for (const endMs = nowMs + seconds * 1000; nowMs < endMs; nowMs += 1) {
      for (arriving += offered / 1000; arriving >= 1; arriving -= 1) {
        if (!admission.enter("flooding")) continue;
        accepted += 1;
        queue.push(nowMs);
      }
      ending = queue.length === 0 ? 0 : ending + workedOff / 1000;
      for (; ending >= 1; ending -= 1) {
        const startedMs = queue.shift();
        if (startedMs === undefined) break;
        tookMs.push(nowMs - startedMs);
        admission.left("flooding", startedMs, 202);
      }
    }
    return { accepted, refused: admission.refused - refusedBefore, tookMs };
  });
}

test("a load below the capacity is accepted whole", () => {
  const [steady] = played([{ offered: 900, workedOff: 1000, seconds: 20 }]);
  expect(steady).toMatchObject({ refused: 0 });
});

test("accepted requests take 250 ms at most when the load is three times the capacity", () => {
  const [flood, after] = played([
    { offered: 3000, workedOff: 1000, seconds: 30 },
    { offered: 500, workedOff: 1000, seconds: 10 },
  ]);
  const settled = flood?.tookMs.slice(3000).toSorted((a, b) => a - b) ?? [];
  expect(settled[Math.floor(settled.length * 0.99)]).toBeLessThanOrEqual(250);
  expect(settled.length).toBeGreaterThan(26_000);
  expect(flood?.refused).toBeGreaterThan(55_000);
  // In the moment before the last of the flood have ended.
  expect(after?.refused).toBeLessThan(25);
});

test("accepted requests of a flood wait for few others, from its first second", () => {
  const [, flood, after] = played([
    { offered: 400, workedOff: 500, seconds: 10 },
    { offered: 5000, workedOff: 500, seconds: 10 },
    { offered: 400, workedOff: 500, seconds: 10 },
  ]);
  const tookMs = flood?.tookMs ?? [];
  expect(Math.max(...tookMs.slice(1000))).toBeLessThanOrEqual(100);
  expect(tookMs.length).toBeGreaterThan(4900);
  expect(after?.refused).toBe(0);
});

test("a known caller with few requests is never refused when a flood begins", () => {
  let nowMs = 0;
  const admission = createAdmission({ monotonicMs: () => nowMs });
  admission.enter("quiet");
  admission.left("quiet", 0, 202);
  const underWay: number[] = [];
  const quiet: boolean[] = [];
  for (; nowMs < 3000; nowMs += 1) {
    for (let n = 0; n < 5; n += 1) if (admission.enter("flood")) underWay.push(nowMs);
    if (nowMs % 2 === 0 && underWay.length > 0) admission.left("flood", underWay.shift() ?? 0, 202);
    if (nowMs % 50 > 0) continue;
    quiet.push(admission.enter("quiet"));
    admission.left("quiet", nowMs, 202);
  }
  expect(quiet).toEqual(Array.from({ length: 60 }, () => true));
});

test("a caller has no more requests in progress than it may have", () => {
  const admission = createAdmission({ monotonicMs: () => 0 });
  const entered = Array.from({ length: 100 }, () => admission.enter("flood", 72));
  expect(entered.filter(Boolean)).toHaveLength(72);
  expect(admission.enter("other", 72)).toBe(true);
});

test("a few dozen callers at once are never refused, however slow the machine is", () => {
  let nowMs = 0;
  const admission = createAdmission({ monotonicMs: () => nowMs });
  const underWay: number[] = [];
  for (let ended = 0; ended < 1000; ended += 1) {
    while (underWay.length < 64) {
      expect(admission.enter("one of 64")).toBe(true);
      underWay.push(nowMs);
    }
    // Twenty a second: each takes three seconds.
    nowMs += 50;
    admission.left("one of 64", underWay.shift() ?? 0, 202);
  }
  expect(admission.refused).toBe(0);
});

test("a flood after quiet hours is bounded from its first second", () => {
  const [, flood] = played([
    { offered: 500, workedOff: 1000, seconds: 600 },
    { offered: 3000, workedOff: 1000, seconds: 2 },
  ]);
  expect(Math.max(...(flood?.tookMs ?? []))).toBeLessThanOrEqual(600);
});

/** Returns an admission with callers whose last request had this status. */
function admissionAfter(status: number, callers: readonly string[]): Admission {
  const admission = createAdmission({ monotonicMs: () => 0 });
  for (const caller of callers) {
    admission.enter(caller);
    admission.left(caller, 0, status);
  }
  return admission;
}

const others = Array.from({ length: 1000 }, (_caller, n) => `other ${n}`);

test("a known caller with few requests has twice the bound of one that floods", () => {
  const admission = admissionAfter(202, ["quiet", ...others]);
  let flooding = 0;
  while (admission.enter("flooding")) flooding += 1;
  expect(flooding).toBe(256);
  const quiet = Array.from({ length: 10 }, () => admission.enter("quiet"));
  expect(quiet).toEqual([...Array<boolean>(8).fill(true), false, false]);
  expect(others.filter((other) => admission.enter(other))).toHaveLength(256 - 8);
  admission.left("quiet", 0, 202);
  expect([admission.enter("flooding"), admission.enter("quiet")]).toEqual([false, true]);
});

test.each([401, 429, undefined])("callers with invented credentials leave room for known callers (%s)", (status) => {
  const admission = admissionAfter(202, ["quiet"]);
  for (const other of others) {
    admission.enter(other);
    admission.left(other, 0, status);
  }
  expect(others.filter((other) => admission.enter(other))).toHaveLength(384);
  expect([admission.enter("stranger"), admission.enter("quiet")]).toEqual([false, true]);
});

test("a caller whose credential is refused is no longer known", () => {
  const admission = admissionAfter(202, ["revoked", "quiet"]);
  admission.enter("revoked");
  admission.left("revoked", 0, 401);
  for (const other of others) admission.enter(other);
  expect([admission.enter("revoked"), admission.enter("quiet")]).toEqual([false, true]);
});

test("events beyond the limit get 503, and no accepted one is lost", async () => {
  const service = await startService({ env: UNLIMITED });
  const receiver = await startReceiver();
  const stuck = new pg.Client({ connectionString: service.database.url });
  try {
    await service.endpoint(receiver.url);
    await stuck.connect();
    await stuck.query("begin");
    await stuck.query("lock table event in exclusive mode");
    const firing = Array.from(
      { length: 700 },
      async (_event, n) => await service.api("POST", SPELLINGS[n % 3] ?? "", { event: "order.created", data: { n } }),
    );
    const first = await Promise.race(firing);
    expect(first).toMatchObject({ status: 503, body: { code: "service_unavailable", retryable: true } });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "content-type": "application/problem+json; charset=utf-8",
      "retry-after": "1",
      "x-content-type-options": "nosniff",
      "x-service-request-id": first.body["request_id"],
      "x-service-ratelimit-limit": "100",
      "x-service-version": "2026-11-21",
    });
    expect(first.body["detail"]).toContain("The service is overloaded");
    await stuck.query("commit");
    const answers = await Promise.all(firing);
    const accepted = answers.filter(({ status }) => status === 202);
    const rejected = answers.filter(({ status }) => status === 503).length;
    expect(accepted.length + rejected).toBe(700);
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    const counted = /^junction_request_duration_seconds_count\{operation="events.fire",status="503"\} (\d+)$/m;
    expect(Number(counted.exec(metrics)?.[1])).toBe(rejected);
    await receiver.count(accepted.length);
    const stored = await service.database.query<{ n: number }>("select count(*)::int as n from event");
    expect(stored[0]?.n).toBe(accepted.length);
    const ids = new Set(receiver.received.map(({ body }) => JSON.parse(body).id));
    expect(ids.size).toBe(accepted.length);
  } finally {
    await stuck.end();
    await service.close();
    await receiver.close();
  }
});
