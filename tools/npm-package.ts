import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, must } from "./run.ts";

/** A package of the npm registry that a tool or a test reads, without its dependencies and without running its code. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The checksum of the registry's archive, in base64. */
  readonly sha512: string;
}

/** Downloads a package, and unpacks it to `package` in the folder. */
export async function unpackNpmPackage({ name, version, sha512 }: NpmPackage, folder: string): Promise<void> {
  const packed = await must("npm", ["pack", "--silent", `${name}@${version}`], { cwd: folder });
  const tarball = join(folder, packed.stdout.trim().split("\n").at(-1) ?? "");
  const found = createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64");
  if (found !== sha512) throw new Error(`the registry's ${name} has another checksum: sha512-${found}`);
  await must("tar", ["-xzf", tarball, "-C", folder]);
}

/** Returns the folder of a package, which is downloaded into the user's cache folder on the first call. */
export async function npmPackage(wanted: NpmPackage): Promise<string> {
  const home = join(cacheFolder(), `npm-${wanted.name.replace("/", "-")}-${wanted.version}`);
  if (existsSync(home)) return home;
  await mkdir(cacheFolder(), { recursive: true });
  const draft = await mkdtemp(`${home}.`);
  try {
    await unpackNpmPackage(wanted, draft);
    await renameUnlessThere(join(draft, "package"), home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return home;
}

/** Gives a complete folder its final name. Another process may have been first; its folder is the same. */
export async function renameUnlessThere(made: string, home: string): Promise<void> {
  await rename(made, home).catch((error: unknown) => {
    if (!existsSync(home)) throw error;
  });
}
