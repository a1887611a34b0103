import { expect, test } from "vitest";
import {
  after,
  fromDate,
  instant,
  parseRfc3339,
  retryAfterMs,
  systemClock,
  toDate,
  toRfc3339,
  unixSeconds,
} from "./clock.ts";

test.each([
  ["2026-11-21T13:00:00Z", "2026-11-21T13:00:00.000Z"],
  ["2026-11-21T13:00:00.5Z", "2026-11-21T13:00:00.500Z"],
  ["2026-11-21T13:00:00.123456789Z", "2026-11-21T13:00:00.123Z"],
  ["2026-11-21t13:00:00z", "2026-11-21T13:00:00.000Z"],
  ["2026-11-21T13:00:00+05:30", "2026-11-21T07:30:00.000Z"],
  ["2026-11-21T00:30:00-01:00", "2026-11-21T01:30:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2026-11-21T13:00:00.1234567890123Z", "2026-11-21T13:00:00.123Z"],
  ["2026-11-21T00:29:60-23:30", "2026-11-22T00:00:00.000Z"],
  ["1998-12-31T23:59:60Z", "1999-01-01T00:00:00.000Z"],
  ["1998-12-31T15:59:60.123-08:00", "1999-01-01T00:00:00.123Z"],
  ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
  ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"],
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
  "2026-11-21T24:00:00Z",
  "2026-11-21T13:00:60Z",
  "2026-11-21T22:59:60Z",
  "2026-11-21T23:58:60Z",
  "2026-11-21T23:59:60+01:00",
  "2026-11-21T23:59:61Z",
  "2026-11-21T13:00:00+24:00",
  "2026-11-21T13:00:00+01:60",
  "2026-11-00T13:00:00Z",
  "2026-11-21T13:00:00.Z",
  "２026-11-21T13:00:00Z",
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

const NOW = Date.UTC(2026, 10, 21, 13, 0, 0);
const MINUTE = 60_000;

test.each([
  ["120", 120_000],
  [" 120 ", 120_000],
  ["0", 0],
  ["000000000000000000120", 120_000],
  ["99999999999", 99_999_999_999_000],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["1.5", 1500],
  ["0.0001", 1],
  ["Sat, 21 Nov 2026 13:01:00 GMT", MINUTE],
  ["sat, 21 nov 2026 13:01:00 gmt", MINUTE],
  ["Sat, 21 Nov 2026 13:01:00 +0000", MINUTE],
  ["Saturday, 21-Nov-26 13:01:00 GMT", MINUTE],
  ["Sat Nov 21 13:01:00 2026", MINUTE],
  ["Sun Nov  1 13:00:00 2026", 0],
  ["Fri, 31 Dec 9999 23:59:59 GMT", Date.UTC(9999, 11, 31, 23, 59, 59) - NOW],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
  ["Saturday, 06-Nov-60 08:49:37 GMT", Date.UTC(2060, 10, 6, 8, 49, 37) - NOW],
  ["2026-11-21T13:01:00Z", MINUTE],
  ["120, 120", 120_000],
  ["soon, 120", 120_000],
  ["Sat, 21 Nov 2026 13:01:00 GMT, 120", MINUTE],
  ["120, Sat, 21 Nov 2026 13:02:00 GMT", 120_000],
])("Retry-After %j is a wait of %d ms", (header, wait) => {
  expect(retryAfterMs(header, NOW)).toBe(wait);
});

test.each([
  undefined,
  "",
  " ",
  "-5",
  "+5",
  "1e9",
  "0x10",
  "1.",
  "5s",
  "five",
  "Infinity",
  "1 2",
  "Sat, 31 Feb 2026 13:01:00 GMT",
  "Sat, 21 Nov 2026 25:01:00 GMT",
  "Sat, 21 Nop 2026 13:01:00 GMT",
  "Sat, 21 Nov 2026 13:01:00 PST",
  ",".repeat(10_000),
])("Retry-After %j asks for no wait", (header) => {
  expect(retryAfterMs(header, NOW)).toBeNull();
});
