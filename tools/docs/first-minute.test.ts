import { chmod, cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { must } from "../run.ts";
import { firstMinute, recordedLines, ROOT } from "./first-minute.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-first-minute-"));
  // The user that runs the database must be able to enter the folder.
  await chmod(folder, 0o755);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Copies the repository as it is, installed, without data and without a built console. */
async function freshCopy(): Promise<string> {
  const { stdout } = await must("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const copy = join(folder, "junction");
  for (const path of stdout.split("\0")) if (path !== "") await cp(join(ROOT, path), join(copy, path));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The lines that only a slow machine prints: the progress of long steps, and the warning that one of them held the loop. */
const SLOWNESS = / \(\d+ s\)$|warning: the event loop was held/;

/** Removes the order and the durations, because steps run concurrently. The self-test may end after the last blank line. */
function comparable(lines: readonly string[]): string[] {
  const printed = lines.filter((line) => line !== "" && !SLOWNESS.test(line));
  return printed.map((line) => line.replace(/ in \d+ s$/, " in <n> s")).toSorted();
}

test("the quickstart's first minute is what npm start prints", async () => {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME: folder,
    npm_config_cache: join(HOME ?? folder, ".npm"),
    npm_config_update_notifier: "false",
  };
  const printed = await firstMinute(await freshCopy(), await freePort(), env);
  const recorded = await recordedLines();
  // Installed packages are not installed again; tools/bootstrap.test.ts covers these two lines.
  const installing = recorded.filter((line) => line.includes("packages"));
  expect(comparable(installing.filter((line) => !line.endsWith("s)")))).toEqual([
    "junction: installing packages",
    "junction: packages installed in <n> s",
  ]);
  expect(comparable(recorded.filter((line) => !installing.includes(line)))).toEqual(
    comparable(printed.map(({ text }) => text)),
  );
});
