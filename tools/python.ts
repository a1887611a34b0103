import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** What a command printed, and how it ended. */
export interface Ran {
  readonly status: number;
  readonly output: string;
}

/** A Python with packages from PyPI, which a requirements.txt pins with their hashes. */
export interface PythonEnvironment {
  /** The path of a program that a package brings. */
  program(name: string): string;
  /** A file inside the installed packages. */
  file(path: string): string;
}

export interface EnvironmentOptions {
  /** What its folder begins with. */
  readonly name: string;
  readonly requirements: string;
  /** The Python it is made of: a program's name or path. */
  readonly python?: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeout?: number;
}

const MINUTES_5 = 300_000;

/** Makes the environment once for each content of its requirements, in the user's cache folder; later calls find it there. */
export async function pythonEnvironment(options: EnvironmentOptions): Promise<PythonEnvironment> {
  const { name, requirements, python = "python3" } = options;
  const text = await readFile(requirements);
  const { output: which } = await must(python, ["-c", "import sys; print(sys.version, sys.prefix)"]);
  const hash = createHash("sha256").update(text).update(which).digest("hex").slice(0, 16);
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "junction");
  const link = join(cache, `${name}-${hash}`);
  if (!existsSync(join(link, "complete"))) await make(cache, link, { ...options, python });
  const home = await realpath(link);
  const purelib = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
  const { output: library } = await must(join(home, "bin", "python"), purelib);
  return {
    program: (program) => join(home, "bin", program),
    file: (path) => join(library.trim(), path),
  };
}

/** Runs a program; never throws for how it ends. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...args], {
      timeout: MINUTES_5,
      maxBuffer: 64 * 1024 * 1024,
      ...options,
    });
    return { status: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "", message } = error as Failed;
    return { status: typeof code === "number" ? code : 1, output: `${stdout}${stderr}` || message };
  }
}

/** Runs a program that has to succeed. */
export async function must(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = await run(program, args, options);
  if (ran.status !== 0) throw new Error(`${program} ${args.join(" ")} failed (${ran.status}): ${ran.output}`);
  return ran;
}

interface Failed extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

/**
 * Programs name their folder, so each is made where it stays, under a name of its own; a link says which is whole.
 * Of two that are made at once the first is kept.
 */
async function make(
  cache: string,
  link: string,
  { requirements, python = "python3" }: EnvironmentOptions,
): Promise<void> {
  const home = `${link}.${randomUUID().slice(0, 8)}`;
  await mkdir(cache, { recursive: true });
  try {
    await must(python, ["-m", "venv", home]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
    await must(join(home, "bin", "python"), [...pip, "--requirement", requirements]);
    await mkdir(join(home, "complete"));
    await symlink(home, link);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    if (!existsSync(join(link, "complete"))) throw error;
  }
}
