import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./run.ts";
import { npm } from "./npm.ts";

const FILES = ["package.json", "package-lock.json"];

/**
 * Installs what package-lock.json of a folder pins, once for each content of it, into the user's cache folder; later calls find it there.
 * Returns the folder. Undefined where the registry cannot be reached. CI must: there that is a failure.
 */
export async function installedPackages(name: string, folder: string): Promise<string | undefined> {
  const version = createHash("sha256")
    .update(await readFile(join(folder, "package-lock.json")))
    .digest("hex")
    .slice(0, 16);
  const home = join(cacheFolder(), `${name}-${version}`);
  try {
    if (!existsSync(home)) await install(folder, home);
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    return undefined;
  }
  return home;
}

/** Installs into a separate folder and moves the complete folder into place, so that concurrent installs do not interfere. */
async function install(folder: string, home: string): Promise<void> {
  const made = `${home}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  for (const file of FILES) await copyFile(join(folder, file), join(made, file));
  await npm(["ci", "--ignore-scripts"], made);
  try {
    await rename(made, home);
  } catch (error) {
    // Another process finished first.
    if (!existsSync(home)) throw error;
    await rm(made, { recursive: true, force: true });
  }
}
