import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cached } from "./cached.ts";
import { must } from "./run.ts";

/** A package of the npm registry that a tool or a test reads, without its dependencies and without running its code. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The checksum of the registry's archive, in base64. */
  readonly sha512: string;
}

/** Downloads a package and unpacks it into a folder. */
export async function unpackNpmPackage({ name, version, sha512 }: NpmPackage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packed = await must("npm", ["pack", "--silent", `${name}@${version}`], { cwd: folder });
  const tarball = join(folder, packed.stdout.trim().split("\n").at(-1) ?? "");
  const found = createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64");
  if (found !== sha512) throw new Error(`the registry's ${name} has another checksum: sha512-${found}`);
  await must("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder]);
  await rm(tarball);
}

/** Returns the folder of a package, which is downloaded into the user's cache folder on the first call. */
export async function npmPackage(wanted: NpmPackage): Promise<string> {
  const name = `npm-${wanted.name.replace("/", "-")}-${wanted.version}`;
  return await cached(name, async (draft) => await unpackNpmPackage(wanted, draft));
}
