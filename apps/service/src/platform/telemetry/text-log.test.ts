import { expect, test } from "vitest";
import { logText } from "./text-log.ts";

const time = "2026-11-22T12:00:00.000Z";

test("a record of level info consists of its message", () => {
  expect(logText(JSON.stringify({ level: 30, time, pid: 7, msg: "migrating the database" }))).toBe(
    "junction: migrating the database\n",
  );
});

test("a warning has its time and its fields", () => {
  const record = {
    level: 40,
    time,
    err: { message: "gone", stack: "Error: gone\n    at x" },
    retry_in_ms: 250,
    msg: "lost",
  };
  expect(logText(JSON.stringify(record))).toBe(`junction: ${time} warning: lost (error gone, retry_in_ms 250)\n`);
});

test("an error has its stack too", () => {
  const record = { level: 50, time, err: { message: "gone", stack: "Error: gone\n  at x" }, msg: "lost" };
  expect(logText(JSON.stringify(record))).toBe(
    `junction: ${time} error: lost (error gone)\n    Error: gone\n    at x\n`,
  );
});
