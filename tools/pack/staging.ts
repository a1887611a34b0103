import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, glob, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { must, run } from "../run.ts";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Returns why this machine cannot pack; undefined if it can. */
export async function packingFault(): Promise<string | undefined> {
  const git = await run("git", ["rev-parse", "--verify", "--quiet", "HEAD"], { cwd: ROOT });
  if (git.status !== 0) return `packing needs git and a clone of the repository. ${git.output.trim()}`.trim();
  const { output } = await run("tar", ["--version"]);
  return output.includes("GNU tar") ? undefined : "packing needs GNU tar as `tar`";
}

/** Runs `work` in a temporary folder, which is removed afterwards. */
export async function inStaging<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "junction-pack-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files of the commit below these paths. Files that are not in git, such as keys and data, can get into no package. */
export async function trackedFiles(paths: readonly string[]): Promise<string[]> {
  const { stdout } = await must("git", ["ls-files", "-z", "--cached", "--", ...paths], { cwd: ROOT });
  return stdout.split("\0").filter((path) => path !== "");
}

/** Copies files of the repository into a folder, under the same paths relative to `base`. */
export async function copyFiles(files: readonly string[], folder: string, base = ""): Promise<void> {
  for (const file of files) {
    const target = join(folder, file.slice(base.length));
    await mkdir(dirname(target), { recursive: true });
    await cp(join(ROOT, file), target);
  }
}

/** Time of the commit in seconds. Everything that is packed gets it as its modification time. */
export async function commitSeconds(): Promise<number> {
  const { stdout } = await must("git", ["log", "-1", "--format=%ct"], { cwd: ROOT });
  return Number(stdout.trim());
}

/** Packs a folder with GNU tar. The same files give the same bytes on each machine. */
export async function tar(folder: string, target: string, more: readonly string[] = []): Promise<void> {
  const normal = ["--sort=name", `--mtime=@${await commitSeconds()}`, "--owner=0", "--group=0", "--numeric-owner"];
  const args = ["--format=gnu", "--mode=u+rw,go+r-w,a+X", ...normal, ...more, "-C", dirname(folder), "-cf", target];
  await must("tar", [...args, basename(folder)], { env: { ...process.env, LC_ALL: "C" } });
}

/** Writes SHA256SUMS, which `sha256sum -c` reads, over every file of the folder. */
export async function writeChecksums(folder: string): Promise<void> {
  const files: string[] = [];
  for await (const file of glob("**/*.*", { cwd: folder })) files.push(file.replaceAll("\\", "/"));
  const lines = await Promise.all(
    files.toSorted().map(async (file) => `${await sha256Of(join(folder, file))}  ${file}\n`),
  );
  await writeFile(join(folder, "SHA256SUMS"), lines.join(""));
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
