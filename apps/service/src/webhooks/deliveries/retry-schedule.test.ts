import { retryAfterMs } from "../../lib/lib.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { COUNTED_ATTEMPTS, transitionAfter, transitionWithoutAttempt } from "./retry-schedule.ts";
import type { AttemptOutcome, Transition } from "./retry-schedule.ts";
import type { RetrySchedule } from "../endpoints/own-schedule.ts";
import type { TestService } from "../../testing/test-service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SCHEDULE = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];
const failure = { succeeded: false, status: 500, retryAfterMs: null };
const success = { succeeded: true, status: 200, retryAfterMs: null };
const FAILED = { kind: "failed", state: "failed", gone: false };

const retry = (waitMs: number): Transition => ({ kind: "retry", state: null, waitMs });

/** Returns the transition after the attempt with that number, counted from 1. */
function after(attempt: number, outcome: AttemptOutcome, schedule: RetrySchedule = SCHEDULE): Transition {
  return transitionAfter({ attemptCount: attempt - 1, trigger: "ladder", restingState: null }, outcome, schedule);
}

describe("the transition after an attempt", () => {
  covers("deliver.retry.span", "the waits add up to 14 hours 36 minutes", () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => after(attempt, failure));
    const total = waits.reduce((sum, next) => sum + (next.kind === "retry" ? next.waitMs : 0), 0);
    expect(total).toBe(14 * HOUR + 36 * MINUTE);
  });

  covers("deliver.retry.max-attempts", "the last failure is final after one retry per wait of any schedule", () => {
    expect(after(6, failure)).toEqual(FAILED);
    const schedules = fc.array(fc.nat(), { maxLength: 10 });
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 20 }), (schedule, attempt) => {
        const expected = attempt <= schedule.length ? "retry" : "failed";
        expect(after(attempt, failure, schedule).kind).toBe(expected);
      }),
    );
  });

  covers("deliver.state.any-success", "success at any attempt delivers", () => {
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      expect(after(attempt, success)).toEqual({ kind: "delivered", state: "delivered" });
    }
  });

  test("410 fails the delivery at once and marks the endpoint as gone", () => {
    expect(after(1, { ...failure, status: 410 })).toEqual({ ...FAILED, gone: true });
  });

  test("a replay that fails schedules nothing and leaves the previous state", () => {
    const replayed = { attemptCount: 1, trigger: "replay", restingState: "delivered" } as const;
    expect(transitionAfter(replayed, { ...failure, status: 410 }, SCHEDULE)).toEqual({ ...FAILED, state: "delivered" });
    expect(transitionAfter(replayed, success, SCHEDULE)).toEqual({ kind: "delivered", state: "delivered" });
  });

  test("a delivery without an attempt is cancelled unless its counter is full", () => {
    const ended = (attemptCount: number, restingState: "failed" | "delivered" | null): unknown =>
      transitionWithoutAttempt({ attemptCount, restingState });
    expect(ended(1, null)).toEqual({ kind: "cancelled", state: "cancelled" });
    expect(ended(COUNTED_ATTEMPTS, "delivered")).toEqual({ kind: "cancelled", state: "delivered" });
    expect(ended(COUNTED_ATTEMPTS, null)).toEqual({ kind: "cancelled", state: "failed" });
  });

  test("Retry-After lengthens a wait at most to the next step's wait", () => {
    const wait = (attempt: number, retryAfter: number): unknown =>
      after(attempt, { ...failure, status: 429, retryAfterMs: retryAfter });
    expect(wait(1, 10_000)).toEqual(retry(MINUTE));
    expect(wait(1, 90_000)).toEqual(retry(90_000));
    expect(wait(1, HOUR)).toEqual(retry(5 * MINUTE));
    expect(wait(4, 24 * HOUR)).toEqual(retry(12 * HOUR));
    expect(wait(5, 24 * HOUR)).toEqual(retry(12 * HOUR));
    expect(wait(6, MINUTE)).toEqual(FAILED);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(100 * HOUR), (attempt, retryAfter) => {
        const transition = after(attempt, { ...failure, retryAfterMs: retryAfter });
        const step = SCHEDULE[attempt - 1] ?? 0;
        const expected = Math.max(step, Math.min(retryAfter, SCHEDULE[attempt] ?? step));
        expect(transition).toEqual(retry(expected));
      }),
    );
  });

  test("Retry-After is read as seconds or an HTTP date, or ignored", () => {
    const now = Date.parse("2026-11-21T13:00:00Z");
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

  /** Returns the milliseconds between the last attempt and the next. */
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
    "retries are scheduled after 1m, 5m, 30m, 2h and 12h by default",
    async () => {
      const { receiver, fire } = await subscribe(service, { status: 500 });
      const log = deliveryLog(service);
      const id = await fire();
      let spanMs = 0;
      for (const [index, step] of SCHEDULE.entries()) {
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

  test.each([
    ["a distant date", new Date(Date.now() + 24 * HOUR).toUTCString()],
    ["many digits", "99999999999"],
    ["more digits than a number has", "9".repeat(400)],
  ])("Retry-After with %s waits no longer than the next step", async (_what, header) => {
    const { fire } = await subscribe(service, { status: 503, headers: { "Retry-After": header } });
    near(await nextWait(await fire(), 1), 5 * MINUTE);
  });
});
