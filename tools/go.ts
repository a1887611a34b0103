import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installAlone, unpackDebianPackages, whyNoDebianPackages } from "./debian-packages.ts";
import { cacheFolder, run } from "./run.ts";
import type { RunOptions } from "./run.ts";

/** A Go that builds the programs that tests need: stripe-mock, helm. */
export interface Go {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

const OLDEST = [1, 24] as const;
const PACKAGES = ["golang-1.24-go", "golang-1.24-src"];

// Started by itself, under the lock, it installs.
if (import.meta.main) await installOnce();

/** The machine's own Go if it is new enough, else Debian's, unpacked once into the user's cache folder. */
export async function go(): Promise<Go> {
  if (await isNewEnough("go")) return { program: "go", env: {} };
  const home = await homeFolder();
  if (!isComplete(home)) {
    const missing = await whyNoDebianPackages();
    if (missing !== undefined) throw new Error(`Go is not on this machine, and ${missing}.`);
    await installAlone(home, fileURLToPath(import.meta.url));
  }
  return unpacked(home);
}

function unpacked(home: string): Go {
  const root = join(home, "root/usr/lib/go-1.24");
  return { program: join(root, "bin/go"), env: { GOROOT: root } };
}

async function isNewEnough(program: string, env?: Go["env"]): Promise<boolean> {
  const options: RunOptions = { env: { ...process.env, ...env, GOTOOLCHAIN: "local" } };
  const { status, stdout } = await run(program, ["env", "GOVERSION"], options);
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  return status === 0 && (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]));
}

async function homeFolder(): Promise<string> {
  const recipe = createHash("sha256").update(await readFile(fileURLToPath(import.meta.url)));
  return join(cacheFolder(), `go-${recipe.digest("hex").slice(0, 16)}`);
}

function isComplete(home: string): boolean {
  return existsSync(join(home, "complete"));
}

async function installOnce(): Promise<void> {
  const home = await homeFolder();
  if (isComplete(home)) return;
  // The two are static programs and text: they need nothing of their release.
  await unpackDebianPackages(home, { release: 13, names: PACKAGES, dependencies: false });
  const { program, env } = unpacked(home);
  if (!(await isNewEnough(program, env))) throw new Error("Debian's Go does not start on this machine.");
  await mkdir(join(home, "complete"));
}
