import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { VERSION } from "../apps/service/src/lib/lib.ts";
import { changedMigrations } from "./released.ts";
import { must, run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const MIGRATIONS = "apps/service/src/platform/db/migrations";

/** Everything that a release sets to its version (CONTRIBUTING.md, "Release"); the other places are generated. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  "package.json": /^ {2}"version": "(.+)",$/m,
  "package-lock.json": /^ {2}"version": "(.+)",$/m,
  "apps/cli/package.json": /^ {2}"version": "(.+)",$/m,
  "apps/cli/src/version.ts": /"(.+)"/,
  "apps/connector-php/package.json": /^ {2}"version": "(.+)",$/m,
  "apps/connector-ts/package.json": /^ {2}"version": "(.+)",$/m,
  "apps/console/package.json": /^ {2}"version": "(.+)",$/m,
  "apps/service/package.json": /^ {2}"version": "(.+)",$/m,
  "deploy/helm/Chart.yaml": /^appVersion: (.+)$/m,
  "sdks/node/package.json": /^ {2}"version": "(.+)",$/m,
  "sdks/node/src/version.ts": /"(.+)"/,
  "sdks/php/src/Client.php": /VERSION = '(.+)';/,
  "sdks/python/pyproject.toml": /^version = "(.+)"$/m,
  "sdks/python/src/junction_sdk/_version.py": /__version__ = "(.+)"/,
};

test("the service, the command line and the SDKs have one version", async () => {
  const found: Record<string, string | undefined> = {};
  for (const [file, pattern] of Object.entries(VERSIONS))
    found[file] = pattern.exec(await readFile(join(ROOT, file), "utf8"))?.[1];
  expect(found).toEqual(Object.fromEntries(Object.keys(VERSIONS).map((file) => [file, VERSION])));
});

test("migrations of released versions are not changed", async ({ skip }) => {
  const { status } = await run("git", ["rev-parse", "--git-dir"], { cwd: ROOT });
  if (status !== 0) skip("this folder is not a clone");
  expect(await changedMigrations(ROOT)).toEqual([]);
});

test("a changed or removed released migration is found, and a new one is allowed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "junction-released-"));
  const git = async (...args: string[]): Promise<unknown> =>
    await must("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  const write = async (name: string, text: string): Promise<void> =>
    await writeFile(join(folder, MIGRATIONS, name), text);
  try {
    await mkdir(join(folder, MIGRATIONS), { recursive: true });
    await git("init", "-q");
    await write("0001_kept.sql", "select 1;");
    await write("0002_changed.sql", "select 1;");
    await write("0003_removed.sql", "select 1;");
    await git("add", "-A");
    await git("commit", "-qm", "first");
    await write("0002_changed.sql", "select 2;");
    expect(await changedMigrations(folder)).toEqual([]);
    await git("tag", "v0.1.0");
    await write("0004_new.sql", "select 1;");
    await rm(join(folder, MIGRATIONS, "0003_removed.sql"));
    await git("add", "-A");
    expect(await changedMigrations(folder)).toEqual([
      `v0.1.0 ${MIGRATIONS}/0002_changed.sql`,
      `v0.1.0 ${MIGRATIONS}/0003_removed.sql`,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
