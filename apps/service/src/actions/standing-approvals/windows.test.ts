import { expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import { windowOf } from "./windows.ts";
import type { WindowUnit } from "./windows.ts";

function shown(at: string, unit: WindowUnit, zone: string): string[] {
  const { start, end } = windowOf(instant(Date.parse(at)), unit, zone);
  return [start, end].map((one) => new Date(one).toISOString());
}

test.each([
  ["2026-11-26T23:59:59.999Z", "2026-11-26T00:00:00.000Z", "2026-11-27T00:00:00.000Z"],
  ["2026-11-27T00:00:00.000Z", "2026-11-27T00:00:00.000Z", "2026-11-28T00:00:00.000Z"],
])("at %s the day of UTC begins %s", (at, start, end) => {
  expect(shown(at, "day", "UTC")).toEqual([start, end]);
});

test.each([
  ["the last millisecond of a day in Berlin", "2026-11-26T22:59:59.999Z", "2026-11-25T23:00:00.000Z"],
  ["its midnight", "2026-11-26T23:00:00.000Z", "2026-11-26T23:00:00.000Z"],
])("%s is in the day that begins there", (_what, at, start) => {
  expect(shown(at, "day", "Europe/Berlin")[0]).toBe(start);
});

test("a day on which the clocks change has 23 or 25 hours", () => {
  expect(shown("2026-03-29T12:00:00Z", "day", "Europe/Berlin")).toEqual([
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T22:00:00.000Z",
  ]);
  expect(shown("2026-10-25T12:00:00Z", "day", "Europe/Berlin")).toEqual([
    "2026-10-24T22:00:00.000Z",
    "2026-10-25T23:00:00.000Z",
  ]);
});

test("an hour that the clocks show twice is one window", () => {
  const twice = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map((at) => shown(at, "hour", "Europe/Berlin"));
  expect(twice).toEqual([
    ["2026-10-25T00:00:00.000Z", "2026-10-25T02:00:00.000Z"],
    ["2026-10-25T00:00:00.000Z", "2026-10-25T02:00:00.000Z"],
  ]);
});

test("the hour after one that the clocks skip begins with it", () => {
  expect(shown("2026-03-29T00:59:59.999Z", "hour", "Europe/Berlin")[1]).toBe("2026-03-29T01:00:00.000Z");
  expect(shown("2026-03-29T01:00:00.000Z", "hour", "Europe/Berlin")[0]).toBe("2026-03-29T01:00:00.000Z");
});

test("the windows of a year follow each other without a gap in any zone", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago"]) {
    let at = instant(Date.parse("2026-01-01T00:00:00Z"));
    while (at < Date.parse("2027-01-01T00:00:00Z")) {
      const { start, end } = windowOf(at, "day", zone);
      expect([zone, start <= at && at < end]).toEqual([zone, true]);
      expect([zone, windowOf(end, "day", zone).start]).toEqual([zone, end]);
      at = end;
    }
  }
});
