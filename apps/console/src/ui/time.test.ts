import { expect, test } from "vitest";
import { relativeText } from "./time.tsx";

const HOUR = 3600;
const DAY = 24 * HOUR;

test("a future time is rounded, and a past one shows its full units", () => {
  const texts = [7 * DAY - 1, 7 * DAY, DAY - 1, 23 * HOUR + 1, HOUR - 10, 90, 59, -7 * DAY + 1, -DAY + 1, -HOUR + 1];
  expect(texts.map((seconds) => relativeText(seconds * 1000, 0))).toEqual([
    "in 7 days",
    "in 7 days",
    "tomorrow",
    "in 23 hr",
    "in 1 hr",
    "in 2 min",
    "in 59 sec",
    "6 days ago",
    "23 hr ago",
    "59 min ago",
  ]);
});
