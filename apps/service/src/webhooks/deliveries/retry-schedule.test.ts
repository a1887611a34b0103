import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { judge, retryAfterMs } from "../../deliver/ladder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LADDER = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];
const failure = { succeeded: false, status: 500, retryAfterMs: null };
const success = { succeeded: true, status: 200, retryAfterMs: null };

describe("the judgement of an attempt", () => {
  covers("deliver.retry.span", "the waits add up to 14 hours 36 minutes", () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => judge(attempt, failure, LADDER));
    const total = waits.reduce((sum, verdict) => sum + (verdict.kind === "retry" ? verdict.waitMs : 0), 0);
    expect(total).toBe(14 * HOUR + 36 * MINUTE);
  });

  covers("deliver.retry.max-attempts", "the sixth failure parks; five retries come before it, on any ladder", () => {
    expect(judge(6, failure, LADDER)).toEqual({ kind: "parked", gone: false });
    const ladders = fc.array(fc.nat(), { maxLength: 10 });
    fc.assert(
      fc.property(ladders, fc.integer({ min: 1, max: 20 }), (ladder, attempt) => {
        const expected = attempt <= ladder.length ? "retry" : "parked";
        expect(judge(attempt, failure, ladder).kind).toBe(expected);
      }),
    );
  });

  covers("deliver.state.any-success", "success at any attempt delivers", () => {
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      expect(judge(attempt, success, LADDER)).toEqual({ kind: "delivered" });
    }
  });

  test("410 parks at once and says that the endpoint is gone", () => {
    expect(judge(1, { ...failure, status: 410 }, LADDER)).toEqual({ kind: "parked", gone: true });
  });

  test("Retry-After lengthens a wait up to the next step's, never shortens it, and leaves the last step alone", () => {
    const wait = (attempt: number, retryAfter: number): unknown =>
      judge(attempt, { ...failure, status: 429, retryAfterMs: retryAfter }, LADDER);
    expect(wait(1, 10_000)).toEqual({ kind: "retry", waitMs: MINUTE });
    expect(wait(1, 90_000)).toEqual({ kind: "retry", waitMs: 90_000 });
    expect(wait(1, HOUR)).toEqual({ kind: "retry", waitMs: 5 * MINUTE });
    expect(wait(4, 24 * HOUR)).toEqual({ kind: "retry", waitMs: 12 * HOUR });
    expect(wait(5, 24 * HOUR)).toEqual({ kind: "retry", waitMs: 12 * HOUR });
    expect(wait(6, MINUTE)).toEqual({ kind: "parked", gone: false });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(100 * HOUR), (attempt, retryAfter) => {
        const verdict = judge(attempt, { ...failure, retryAfterMs: retryAfter }, LADDER);
        const step = LADDER[attempt - 1] ?? 0;
        const expected = Math.max(step, Math.min(retryAfter, LADDER[attempt] ?? step));
        expect(verdict).toEqual({ kind: "retry", waitMs: expected });
      }),
    );
  });

  test("Retry-After is read as seconds or as an HTTP date; anything else asks for nothing", () => {
    const now = Date.parse("2026-11-21T13:00:00Z");
    expect(retryAfterMs(undefined, now)).toBeNull();
    expect(retryAfterMs("120", now)).toBe(120_000);
    expect(retryAfterMs(" 0 ", now)).toBe(0);
    expect(retryAfterMs("Sat, 21 Nov 2026 13:02:00 GMT", now)).toBe(120_000);
    expect(retryAfterMs("Sat, 21 Nov 2020 13:02:00 GMT", now)).toBe(0);
    for (const odd of ["", "soon", "NaN", "120s"]) expect(retryAfterMs(odd, now)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wait = retryAfterMs(text, now);
        expect(wait === null || (Number.isFinite(wait) && wait >= 0)).toBe(true);
      }),
    );
  });
});

describe("the waits in the log", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ env: UNLIMITED });
  });
  afterAll(async () => await service.close());

  /** Milliseconds between the last attempt and the next. */
  async function nextWait(id: string, attempts: number): Promise<number> {
    const log = deliveryLog(service);
    const shown = await log.attempted(id, attempts);
    const last = (await log.attempts(id)).at(-1);
    expect(shown).toMatchObject({ state: "pending", light: "amber" });
    return Date.parse(shown["next_attempt_at"]) - Date.parse(last?.["started_at"]);
  }

  const near = (wait: number, expected: number): void => {
    expect(wait).toBeGreaterThanOrEqual(expected);
    expect(wait).toBeLessThan(expected + 3000);
  };

  covers(
    [
      "deliver.retry.step-1",
      "deliver.retry.step-2",
      "deliver.retry.step-3",
      "deliver.retry.step-4",
      "deliver.retry.step-5",
      "deliver.retry.ladder",
      "deliver.retry.span",
      "deliver.state.parked",
      "deliver.retry.max-attempts",
    ],
    "by default the retries are scheduled 1m, 5m, 30m, 2h and 12h after the attempt before; the sixth failure parks",
    async () => {
      const { receiver, fire } = await subscribe(service, { status: 500 });
      const log = deliveryLog(service);
      const id = await fire();
      let spanMs = 0;
      for (const [index, step] of LADDER.entries()) {
        const wait = await nextWait(id, index + 1);
        near(wait, step);
        spanMs += wait;
        await log.hurry();
      }
      near(spanMs, 14 * HOUR + 36 * MINUTE);
      expect(await log.in(id, "failed")).toMatchObject({ light: "red", attempt_count: 6, next_attempt_at: null });
      await log.hurry();
      expect((await log.attempts(id)).map((one) => [one["number"], one["trigger"]])).toEqual(
        [1, 2, 3, 4, 5, 6].map((number) => [number, "ladder"]),
      );
      expect(receiver.received).toHaveLength(6);
    },
  );

  test("Retry-After of a failed attempt delays the retry and adds no attempt", async () => {
    const { fire } = await subscribe(service, { status: 429, headers: { "Retry-After": "120" } });
    near(await nextWait(await fire(), 1), 120_000);
  });

  test("Retry-After as a date far away waits no longer than the next step", async () => {
    const date = new Date(Date.now() + 24 * HOUR).toUTCString();
    const { fire } = await subscribe(service, { status: 503, headers: { "Retry-After": date } });
    near(await nextWait(await fire(), 1), 5 * MINUTE);
  });
});
