import { expect, test } from "vitest";
import type { wire } from "../../api/api.ts";
import { stepsOf } from "./retry-steps.ts";

const ladder = [60, 300, 1800, 7200, 43_200];
const attempt = (number: number, trigger = "ladder"): wire.Attempt => ({ number, trigger }) as wire.Attempt;

test("a retried delivery shows its next attempt's time, and waits for the others", () => {
  const next = "2026-11-21T12:00:00.000Z";
  const steps = stepsOf({ state: "pending", next_attempt_at: next, ladder_seconds: ladder }, [attempt(1), attempt(2)]);
  expect(steps.map((step) => step.number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(steps[2]).toMatchObject({ dueMs: Date.parse(next), isNever: false });
  expect(steps[3]).toMatchObject({ dueMs: null, afterSeconds: 1800 });
});

test("an ended delivery has no further step; a replay follows the retry schedule", () => {
  const ended = { next_attempt_at: null, ladder_seconds: ladder };
  expect(
    stepsOf({ ...ended, state: "delivered" }, [attempt(1)])
      .slice(1)
      .every((step) => step.isNever),
  ).toBe(true);
  const made = [1, 2, 3, 4, 5, 6].map((number) => attempt(number));
  const steps = stepsOf({ ...ended, state: "failed" }, [...made, attempt(7, "replay")]);
  expect(steps.map((step) => step.isScheduled)).toEqual([true, true, true, true, true, true, false]);
});
