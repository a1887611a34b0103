import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, digestOf } from "./cached.ts";
import { must } from "./run.ts";

/** A Python environment with packages from PyPI, which a requirements.txt pins with their hashes. */
export interface PythonEnvironment {
  /** Returns the path of a program of a package. */
  program(name: string): string;
  /** Returns the path of a file inside the installed packages. */
  file(path: string): string;
}

export interface EnvironmentOptions {
  /** The beginning of its folder's name. */
  readonly name: string;
  readonly requirements: string;
  /** The Python it is made of: a program's name or path. */
  readonly python?: string;
}

/** Makes the environment once for each content of its requirements, in the user's cache folder; later calls find it there. */
export async function pythonEnvironment(options: EnvironmentOptions): Promise<PythonEnvironment> {
  const { name, requirements, python = "python3" } = options;
  const text = await readFile(requirements);
  const { output: which } = await must(python, ["-c", "import sys; print(sys.version, sys.prefix)"]);
  const link = join(cacheFolder(), `${name}-${digestOf(text, which)}`);
  if (!existsSync(join(link, "complete"))) await make(link, { ...options, python });
  const home = await realpath(link);
  const purelib = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
  const { output: library } = await must(join(home, "bin", "python"), purelib);
  return {
    program: (program) => join(home, "bin", program),
    file: (path) => join(library.trim(), path),
  };
}

/** A registry can take a second for each of a hundred packages. */
const MINUTES_20 = 1_200_000;

/**
 * Creates an environment under a unique name in its final place, because programs name their folder. A link points to a complete one.
 * If two are created at the same time, the first is kept.
 */
async function make(link: string, { requirements, python = "python3" }: EnvironmentOptions): Promise<void> {
  const home = `${link}.${randomUUID().slice(0, 8)}`;
  await mkdir(cacheFolder(), { recursive: true });
  try {
    await must(python, ["-m", "venv", home]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
    await must(join(home, "bin", "python"), [...pip, "--requirement", requirements], { timeout: MINUTES_20 });
    await mkdir(join(home, "complete"));
    // A link whose environment was deleted would keep every other one away.
    if (!existsSync(link)) await rm(link, { force: true });
    await symlink(home, link);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    if (!existsSync(join(link, "complete"))) throw error;
  }
}
