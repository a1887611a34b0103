import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { BIN } from "./testing/cli.ts";

test.skipIf(!existsSync("/dev/full"))("a command fails when its output cannot be written", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [BIN, "--help"], { stdio: ["ignore", full, "pipe"] });
  closeSync(full);
  const [[status], stderr] = await Promise.all([once(child, "exit"), child.stderr === null ? "" : text(child.stderr)]);
  expect(status).toBe(74);
  expect(stderr).toBe("junction: The output cannot be written: ENOSPC.\n");
});

test("a command succeeds when the reader of its output ends early", async () => {
  const child = spawn(process.execPath, [BIN, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [[status], stderr] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  expect([status, stderr]).toEqual([0, ""]);
});
