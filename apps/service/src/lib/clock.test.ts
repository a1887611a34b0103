import { expect, test } from "vitest";
import { after, fromDate, instant, parseRfc3339, systemClock, toDate, toRfc3339, unixSeconds } from "./clock.ts";

test.each([
  ["2026-11-21T13:00:00Z", "2026-11-21T13:00:00.000Z"],
  ["2026-11-21T13:00:00.5Z", "2026-11-21T13:00:00.500Z"],
  ["2026-11-21T13:00:00.123456789Z", "2026-11-21T13:00:00.123Z"],
  ["2026-11-21t13:00:00z", "2026-11-21T13:00:00.000Z"],
  ["2026-11-21T13:00:00+05:30", "2026-11-21T07:30:00.000Z"],
  ["2026-11-21T00:30:00-01:00", "2026-11-21T01:30:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
])("%s is a timestamp and is written as %s", (text, told) => {
  const at = parseRfc3339(text);
  expect(at === undefined ? undefined : toRfc3339(at)).toBe(told);
});

test.each([
  "2026-11-21",
  "2026-11-21T13:00:00",
  "2026-11-21 13:00:00Z",
  "2026-02-30T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-11-21T25:00:00Z",
  "2026-11-21T13:60:00Z",
  "2026-11-21T13:00Z",
  "1763701200",
  "now",
  "",
])("%j is not a timestamp", (text) => {
  expect(parseRfc3339(text)).toBeUndefined();
});

test("timestamps of headers are whole seconds, rounded down", () => {
  expect(unixSeconds(instant(1_763_701_200_999))).toBe(1_763_701_200);
});

test("an instant and the database's date are the same time", () => {
  const at = instant(1_763_701_200_123);
  expect(fromDate(toDate(at))).toBe(at);
  expect(after(at, 1000)).toBe(at + 1000);
});

test("the system clock returns the time, and its monotonic time never decreases", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  const first = systemClock.monotonicMs();
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
});
