import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Fills the folder `draft`. Files that name their folder must name `home`, which it becomes. */
export type Fill = (draft: string, home: string) => Promise<void>;

/** Returns the folder of tools that several checkouts share. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "junction");
}

/**
 * Returns a folder of the user's cache, which the first call of this machine fills. It gets its name when it is complete. If several
 * processes fill it at once, one of the results is kept.
 */
export async function cached(name: string, fill: Fill): Promise<string> {
  const home = join(cacheFolder(), name);
  if (existsSync(home)) return home;
  await mkdir(dirname(home), { recursive: true });
  const draft = await mkdtemp(`${home}.`);
  try {
    await chmod(draft, 0o755);
    await fill(draft, home);
    await rename(draft, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return home;
}

/**
 * Does the same for what takes long: a second process of this machine waits for the first, if the machine has `flock`. The kernel drops the
 * lock of one that dies.
 */
export async function cachedAlone(name: string, fill: Fill): Promise<string> {
  const home = join(cacheFolder(), name);
  if (existsSync(home)) return home;
  await mkdir(dirname(home), { recursive: true });
  const holder = spawn("flock", [`${home}.lock`, "sh", "-c", "echo held && cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const isLocking = await once(holder, "spawn").catch(() => undefined);
  if (isLocking === undefined) return await cached(name, fill);
  const failed = once(holder, "exit").then(() => {
    throw new Error(`${home} could not be locked.`);
  });
  try {
    await Promise.race([once(holder.stdout, "data"), failed]);
    return await cached(name, fill);
  } finally {
    holder.stdin.end();
    await failed.catch(() => undefined);
  }
}

/** Returns a short digest of contents, for the name of what is made of them. */
export function digestOf(...contents: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 16);
}
