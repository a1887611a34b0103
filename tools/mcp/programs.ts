import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Programs for MCP. Their hundred packages each are not dependencies of the repository, because only tests need them. */
export interface Programs {
  /** Their folder, for a PATH. */
  readonly bin: string;
}

const FILES = ["package.json", "package-lock.json"];
const MINUTES_5 = 300_000;

/** The official MCP inspector. */
export const inspector = async (): Promise<Programs | undefined> => await programs("inspector");
/** The protocol's own conformance suite. */
export const conformance = async (): Promise<Programs | undefined> => await programs("conformance");

/**
 * Installs what package-lock.json pins, once for each content of it, into the user's cache folder; later calls find it there.
 * Undefined where the registry cannot be reached. CI must: there that is a failure.
 */
async function programs(name: string): Promise<Programs | undefined> {
  const folder = fileURLToPath(new URL(`${name}/`, import.meta.url));
  const version = createHash("sha256")
    .update(await readFile(join(folder, "package-lock.json")))
    .digest("hex")
    .slice(0, 16);
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "junction");
  const home = join(cache, `mcp-${name}-${version}`);
  try {
    if (!existsSync(home)) await install(folder, home);
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    return undefined;
  }
  return { bin: join(home, "node_modules", ".bin") };
}

/** Installs into a separate folder and moves the complete folder into place, so that concurrent installs do not interfere. */
async function install(folder: string, home: string): Promise<void> {
  const made = `${home}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  for (const file of FILES) await copyFile(join(folder, file), join(made, file));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: made, timeout: MINUTES_5 });
  try {
    await rename(made, home);
  } catch (error) {
    // Another process finished first.
    if (!existsSync(home)) throw error;
    await rm(made, { recursive: true, force: true });
  }
}
