import { expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import { createSessions } from "./sessions.ts";

const clock = { now: () => instant(0), monotonicMs: () => 0 };

function session(bytes: number) {
  return { ticket: Buffer.alloc(bytes), verifiedUntil: instant(1) };
}

test("beyond ten thousand sessions, the one that was used longest ago is dropped", () => {
  const sessions = createSessions(clock);
  for (let nth = 0; nth < 10_000; nth += 1) sessions.keep(`${nth}`, session(1));
  sessions.of("0");
  sessions.keep("new", session(1));
  expect(["0", "1", "2", "new"].map((key) => sessions.of(key) !== undefined)).toEqual([true, false, true, true]);
});

test("sessions take at most 16 MiB, and a ticket at most 16 KiB", () => {
  const sessions = createSessions(clock);
  for (let nth = 0; nth <= 1024; nth += 1) sessions.keep(`${nth}`, session(16 * 1024));
  sessions.keep("2", session(16 * 1024 + 1));
  expect(["0", "1", "2"].map((key) => sessions.of(key) !== undefined)).toEqual([false, true, false]);
});

test("a session whose certificate has ended is dropped", () => {
  const sessions = createSessions(clock);
  sessions.keep("ended", { ticket: Buffer.alloc(1), verifiedUntil: instant(0) });
  sessions.keep("unreadable", { ticket: Buffer.alloc(1), verifiedUntil: instant(Number.NaN) });
  expect([sessions.of("ended"), sessions.of("unreadable")]).toEqual([undefined, undefined]);
});
