import { describe, expect, test } from "vitest";
import { instant, toLocalRfc3339, toRfc3339 } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { GRACE_MS, MOST_COUNTED, occurrencesAfter, planOf, readSchedule } from "./schedule.ts";
import type { Missed, Schedule } from "./schedule.ts";

function at(text: string): Instant {
  return instant(Date.parse(text));
}

function schedule(cron: string, timeZone = "UTC", missed: Missed = "skip"): Schedule {
  return { cron, timeZone, missed };
}

/** Returns the first occurrences after a time, as the zone's clocks show them. */
function local(cron: string, timeZone: string, after: string, most = 3): string[] {
  return occurrencesAfter(schedule(cron, timeZone), at(after), most).map((one) => toLocalRfc3339(one, timeZone));
}

describe("the clocks go back", () => {
  test("a local time that comes twice fires at the first one", () => {
    expect(local("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z")).toEqual([
      "2026-10-25T02:30:00+02:00",
      "2026-10-26T02:30:00+01:00",
      "2026-10-27T02:30:00+01:00",
    ]);
    expect(local("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 2)).toEqual([
      "2026-11-01T01:30:00-04:00",
      "2026-11-02T01:30:00-05:00",
    ]);
    expect(local("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", 2)).toEqual([
      "2026-04-05T01:45:00+11:00",
      "2026-04-06T01:45:00+10:30",
    ]);
  });

  test("each local time of the repeated hour fires once", () => {
    expect(local("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:40:00Z", 4)).toEqual([
      "2026-10-25T02:00:00+02:00",
      "2026-10-25T02:30:00+02:00",
      "2026-10-25T03:00:00+01:00",
      "2026-10-25T03:30:00+01:00",
    ]);
    expect(local("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:20:00Z", 4)).toEqual([
      "2026-04-05T01:30:00+11:00",
      "2026-04-05T01:45:00+11:00",
      "2026-04-05T02:00:00+10:30",
      "2026-04-05T02:15:00+10:30",
    ]);
  });

  test("a schedule that is saved in the second pass begins after it", () => {
    expect(local("*/30 * * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1)).toEqual(["2026-10-25T03:00:00+01:00"]);
  });
});

describe("the clocks go forward", () => {
  test("a local time that is skipped fires at the next existing minute", () => {
    expect(local("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T03:00:00+02:00",
      "2026-03-30T02:30:00+02:00",
    ]);
    expect(local("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2)).toEqual([
      "2026-03-08T03:00:00-04:00",
      "2026-03-09T02:30:00-04:00",
    ]);
    expect(local("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 2)).toEqual([
      "2026-10-04T02:30:00+11:00",
      "2026-10-05T02:15:00+11:00",
    ]);
    expect(local("0 0 * * *", "America/Sao_Paulo", "2017-10-14T12:00:00Z", 1)).toEqual(["2017-10-15T01:00:00-02:00"]);
  });

  test("skipped times fire once together, also with one that exists", () => {
    expect(local("*/20 2,3 * * *", "Europe/Berlin", "2026-03-29T00:50:00Z", 3)).toEqual([
      "2026-03-29T03:00:00+02:00",
      "2026-03-29T03:20:00+02:00",
      "2026-03-29T03:40:00+02:00",
    ]);
  });

  test("a day that a zone skips fires at the next one", () => {
    expect(local("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3)).toEqual([
      "2011-12-29T12:00:00-10:00",
      "2011-12-31T00:00:00+14:00",
      "2011-12-31T12:00:00+14:00",
    ]);
  });
});

test("29 February fires in leap years, and 100 occurrences keep rising", () => {
  const years = local("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z").map((text) => text.slice(0, 4));
  expect(years).toEqual(["2028", "2032", "2036"]);
  const many = occurrencesAfter(schedule("*/7 1-4 * * *", "America/New_York"), at("2026-10-30T00:00:00Z"), 100);
  expect(many).toHaveLength(100);
  expect(many.toSorted((a, b) => a - b)).toEqual(many);
});

test("a day of month and a day of week both fire", () => {
  const days = local("0 9 1 * MON", "UTC", "2026-01-01T00:00:00Z").map((text) => text.slice(0, 10));
  expect(days).toEqual(["2026-01-01", "2026-01-05", "2026-01-12"]);
});

describe("reading", () => {
  const faultOf = (cron: string): string | undefined => readSchedule({ cron }).faults[0]?.message;

  test.each([
    "* * * * *",
    "0 9 * * 1-5",
    " 0  9 * * MON-FRI ",
    "*/5 0-6/2 1,15 jan-mar sun",
    "0 0 * * 7",
    "5,35 * 29 2 *",
  ])("accepts %s", (cron) => expect(faultOf(cron)).toBeUndefined());

  test.each([
    ["61 * * * *", "has an invalid minute, 61"],
    ["* 24 * * *", "has an invalid hour, 24"],
    ["* * 0 * *", "has an invalid day of month, 0"],
    ["* * * 13 *", "has an invalid month, 13"],
    ["* * * * 8", "has an invalid day of week, 8"],
    ["MON * * * *", "has an invalid minute, MON"],
    ["*/0 * * * *", "has an invalid minute, */0"],
    ["0 0 L * *", "has an invalid day of month, L"],
    ["0 0 15W * *", "has an invalid day of month, 15W"],
    ["0 0 * * 1#2", "has an invalid day of week, 1#2"],
    ["0 0 ? * *", "has an invalid day of month, ?"],
    ["0 * * * * *", "it has 6; seconds and years are not supported"],
    ["* * * *", "it has 4"],
    ["", "it has 1"],
    ["@reboot", "nicknames such as @reboot are not supported"],
    ["@daily", "nicknames such as @daily are not supported"],
    ["0 0 30 2 *", "names a date that never comes"],
    ["0 0 31 4,6 *", "names a date that never comes"],
  ])("refuses %s", (cron, message) => expect(faultOf(cron)).toContain(message));

  test.each(["Mars/Olympus", "+01:00", ""])("refuses the time zone %j", (zone) =>
    expect(readSchedule({ cron: "* * * * *", time_zone: zone }).faults).toMatchObject([{ pointer: "/time_zone" }]),
  );
});

describe("a plan", () => {
  const HOURLY = schedule("0 * * * *");
  const texts = (times: readonly { readonly at: Instant }[]): string[] =>
    times.map((one) => toRfc3339(one.at).slice(11, 16));

  test("fires an occurrence that is on time, and moves to the next", () => {
    const plan = planOf(HOURLY, at("2026-01-01T09:00:00Z"), at("2026-01-01T09:00:01Z"));
    expect(plan).toEqual({
      fires: [{ at: at("2026-01-01T09:00:00Z"), missed: 0 }],
      skipped: undefined,
      next: at("2026-01-01T10:00:00Z"),
    });
  });

  test("fires each occurrence that is at most five minutes late", () => {
    const plan = planOf(schedule("* * * * *"), at("2026-01-01T09:00:00Z"), at("2026-01-01T09:05:00Z"));
    expect(texts(plan.fires)).toEqual(["09:00", "09:01", "09:02", "09:03", "09:04", "09:05"]);
    expect(plan.skipped).toBeUndefined();
  });

  test("drops missed occurrences, or fires one for all of them", () => {
    const [due, now] = [at("2026-01-01T09:00:00Z"), instant(at("2026-01-01T12:00:00Z") + GRACE_MS + 1)];
    const skipped = { count: 4, first: due, last: at("2026-01-01T12:00:00Z") };
    const next = at("2026-01-01T13:00:00Z");
    expect(planOf(HOURLY, due, now)).toEqual({ fires: [], skipped, next });
    const once = planOf({ ...HOURLY, missed: "once" }, due, now);
    expect(once).toEqual({ fires: [{ at: skipped.last, missed: 4 }], skipped, next });
  });

  test("counts at most 100 missed occurrences, and finds the last of more", () => {
    const now = at("2026-03-01T00:00:30Z");
    const plan = planOf(schedule("* * * * *", "Europe/Berlin", "once"), at("2026-01-01T00:00:00Z"), now);
    expect(plan.skipped).toMatchObject({ count: MOST_COUNTED, last: at("2026-02-28T23:55:00Z") });
    expect(plan.fires[0]).toEqual({ at: at("2026-02-28T23:55:00Z"), missed: MOST_COUNTED });
    expect(texts(plan.fires.slice(1))).toEqual(["23:56", "23:57", "23:58", "23:59", "00:00"]);
    expect(plan.next).toBe(at("2026-03-01T00:01:00Z"));
  });
});
