import { expect, test } from "vitest";
import { instant, toRfc3339 } from "../lib/lib.ts";
import { afterFailure, afterIgnoring, afterSuccess, isWatched } from "./issue.ts";
import type { Change, Failure, Tracked } from "./issue.ts";
import { withoutVaryingParts } from "./issue-message.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 29);

function failure(minute: number, code = "500", message: string | null = null): Failure {
  const at = instant(START + minute * MINUTE);
  const ids = { event_id: null, delivery_id: null, receipt_id: null, run_id: null };
  return { at, code, message, sample: { at: toRfc3339(at), code, message, ...ids } };
}

/** Applies failures (their minute) and successes ("ok"), and returns the changes and the end. */
function run(steps: readonly (number | "ok")[], from?: Tracked): { changes: Change[]; end: Tracked | undefined } {
  const changes: Change[] = [];
  let end = from;
  for (const one of steps) {
    const { after, change } =
      one === "ok"
        ? end === undefined
          ? { after: end, change: null }
          : afterSuccess(end, end.lastSeenAt)
        : afterFailure(end, failure(one));
    end = after;
    if (change !== null) changes.push(change);
  }
  return { changes, end };
}

const ok = (count: number): "ok"[] => Array.from({ length: count }, () => "ok" as const);

test.each([
  ["the third failure within ten minutes", [0, 5, 10], ["opened"]],
  ["two failures", [0, 5], []],
  ["three failures in more than ten minutes", [0, 5, 10.01], []],
  ["the last three of four failures, if they are within ten minutes", [0, 5, 10.01, 14], ["opened"]],
  ["failures with four successes between them", [0, ...ok(4), 1, ...ok(4), 2], ["opened"]],
  ["failures with five successes in a row between them", [0, 1, ...ok(5), 2, 3], []],
  ["ten failures, once", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ["opened"]],
  ["five successes in a row, which resolve it", [0, 1, 2, ...ok(5)], ["opened", "resolved"]],
  ["four successes and a failure, which do not resolve it", [0, 1, 2, ...ok(4), 3, ...ok(4)], ["opened"]],
  [
    "the next failure after it was resolved, at any time",
    [0, 1, 2, ...ok(5), 9000],
    ["opened", "resolved", "reopened"],
  ],
  ["more successes after it was resolved, which change nothing", [0, 1, 2, ...ok(50)], ["opened", "resolved"]],
] as const)("an issue is decided by %s", (_name, steps, changes) => {
  expect(run(steps).changes).toEqual(changes);
});

test("a reopened issue keeps its count and counts its reopenings", () => {
  const { end } = run([0, 1, 2, ...ok(5), 3, ...ok(5), 4]);
  expect(end).toMatchObject({ state: "open", count: 5, reopenedCount: 2, resolvedAt: null });
});

test("an object that recovers before its third failure is forgotten", () => {
  expect(run([0, 1, ...ok(5)]).end).toBeUndefined();
});

test("acknowledged issues stay so at a failure, and are resolved by successes", () => {
  const open = run([0, 1, 2]).end as Tracked;
  const known: Tracked = { ...open, state: "acknowledged" };
  expect(run([3], known)).toMatchObject({ changes: [], end: { state: "acknowledged", count: 4 } });
  expect(run(ok(5), known).changes).toEqual(["resolved"]);
});

test("an ignored issue changes nothing until its time ends", () => {
  const ignored: Tracked = { ...(run([0, 1, 2]).end as Tracked), state: "ignored" };
  const { changes, end } = run([...ok(5), 3, ...ok(5)], ignored);
  expect([changes, end?.state]).toEqual([[], "ignored"]);
  expect(afterIgnoring(end as Tracked, instant(START)).change).toBe("resolved");
  expect(afterIgnoring(run([4], end).end as Tracked, instant(START))).toMatchObject({
    change: "opened",
    after: { state: "open", ignoredUntil: null },
  });
});

test("successes are watched for only while they can change something", () => {
  const now = instant(START + 2 * MINUTE);
  const watched = (steps: readonly (number | "ok")[], at = now): boolean => isWatched(run(steps).end as Tracked, at);
  expect([watched([0]), watched([0, 1, 2]), watched([0, 1, 2, ...ok(5)])]).toEqual([true, true, false]);
  expect(watched([0], instant(START + 10 * MINUTE))).toBe(false);
});

test("fingerprints and samples are bounded, and the newest come first", () => {
  let end: Tracked | undefined;
  for (let n = 0; n < 100; n += 1) end = afterFailure(end, failure(n, String(500 + (n % 50)), `m${n % 50}`)).after;
  expect(end?.fingerprints).toHaveLength(20);
  expect(end?.fingerprints[0]).toMatchObject({ code: "549", message: "m49" });
  expect(end?.samples).toHaveLength(10);
  expect(end?.count).toBe(100);
  const same = afterFailure(end, failure(100, "549", "m49")).after;
  expect(same.fingerprints[0]).toMatchObject({ code: "549", count: 2 });
  expect(same.fingerprints).toHaveLength(20);
});

test.each([
  ["connect ECONNREFUSED 127.0.0.1:4000", "connect ECONNREFUSED <address>"],
  ["connect ECONNREFUSED [::1]:4000", "connect ECONNREFUSED <address>"],
  ["no response within 15 s", "no response within <number> s"],
  ["cannot read \"ada@example.com\" of 'x'", "cannot read <text> of <text>"],
  ["no customer ada.moreau@example.com", "no customer <email>"],
  ["see https://example.com/a?b=1 for more", "see <url> for more"],
  ["order 0196b2c1-aaaa-7bbb-8ccc-123456789012 is unknown", "order <id> is unknown"],
  ["evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g is gone", "<id> is gone"],
  ["trace 4bf92f3577b34da6a3ce929d0e0e4736\n\tat x", "trace <id> at x"],
  ["\u0000\uD800", "\uFFFD"],
  ["  ", null],
  [null, null],
])("the message %j is grouped as %j", (message, grouped) => {
  expect(withoutVaryingParts(message)).toBe(grouped);
});

test.each(['"', "a@", "1.", "http://", "[", "a".repeat(64), "0a", "'\"", "é"])(
  "a message of many %j is cut, and read only at its beginning",
  (part) => {
    const text = part.repeat(200_000);
    const grouped = withoutVaryingParts(text) ?? "";
    expect(grouped.length).toBeLessThanOrEqual(200);
    expect(withoutVaryingParts(text.slice(0, 1000))).toBe(grouped);
  },
);
