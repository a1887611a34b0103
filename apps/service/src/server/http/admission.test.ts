import pg from "pg";
import { expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { createAdmission } from "./admission.ts";

interface Load {
  /** Requests a second that come in. */
  readonly offered: number;
  /** Requests a second that can be worked off, one after the other. */
  readonly workedOff: number;
  readonly seconds: number;
}

/** Plays a load against an admission, a millisecond at a time; answers how long each of the accepted took. */
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
        admission.left("flooding", startedMs);
      }
    }
    return { accepted, refused: admission.refused - refusedBefore, tookMs };
  });
}

test("a load that can be worked off is taken whole, bursts of hundreds too", () => {
  const [steady] = played([{ offered: 900, workedOff: 1000, seconds: 20 }]);
  expect(steady).toMatchObject({ refused: 0 });
});

test("of three times what can be worked off, what is accepted takes a quarter of a second at most, and nothing that could be done is refused", () => {
  const [flood, after] = played([
    { offered: 3000, workedOff: 1000, seconds: 30 },
    { offered: 500, workedOff: 1000, seconds: 10 },
  ]);
  const settled = flood?.tookMs.slice(3000).toSorted((a, b) => a - b) ?? [];
  expect(settled[Math.floor(settled.length * 0.99)]).toBeLessThanOrEqual(250);
  expect(settled.length).toBeGreaterThan(26_000);
  expect(flood?.refused).toBeGreaterThan(55_000);
  expect(after?.refused).toBe(0);
});

test("who has few calls under way is taken on beside a caller who floods, up to twice the bound", () => {
  const admission = createAdmission({ monotonicMs: () => 0 });
  let flooding = 0;
  while (admission.enter("flooding")) flooding += 1;
  expect(flooding).toBe(512);
  const quiet = Array.from({ length: 10 }, () => admission.enter("quiet"));
  expect(quiet).toEqual([...Array<boolean>(8).fill(true), false, false]);
  const others = Array.from({ length: 1000 }, (_caller, n) => admission.enter(`other ${n}`));
  expect(others.filter(Boolean)).toHaveLength(512 - 8);
  admission.left("quiet", 0);
  expect([admission.enter("flooding"), admission.enter("quiet")]).toEqual([false, true]);
});

test("while the database takes nothing, what is fired beyond a bound is refused with 503 and Retry-After, and the rest is done after it", async () => {
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
      async (_event, n) => await service.api("POST", "/v1/events/fire", { event: "order.created", data: { n } }),
    );
    const first = await Promise.race(firing);
    expect(first).toMatchObject({ status: 503, body: { code: "service_unavailable", retryable: true } });
    expect(first.headers.get("retry-after")).toBe("1");
    expect(first.body["detail"]).toContain("More events come in than can be written now");
    await stuck.query("commit");
    const answers = await Promise.all(firing);
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.length + answers.filter(({ status }) => status === 503).length).toBe(700);
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
