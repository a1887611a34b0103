import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What a command printed, and how it ended. */
export interface Ran {
  readonly status: number;
  /** Both streams, for a person. */
  readonly output: string;
  readonly stdout: string;
}

/** Programs of the contract's checks that come from PyPI, pinned with their hashes in requirements.txt. */
export interface PythonTools {
  /** The path of a program that a package brings. */
  program(name: string): string;
  /** A file inside the installed packages. */
  file(path: string): string;
}

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const MINUTES_5 = 300_000;

/** Whether this machine can make the environment at all. CI must: there a missing tool is a failure, not a skip. */
export async function canCheck(): Promise<boolean> {
  if (process.env["CI"] !== undefined) return true;
  const [python, java] = await Promise.all([
    run("python3", ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"]),
    run("java", ["-version"]),
  ]);
  return python.status === 0 && java.status === 0;
}

/** Makes the environment once for each content of requirements.txt, in the user's cache folder; later calls find it there. */
export async function pythonTools(): Promise<PythonTools> {
  const version = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 16);
  const cache = cacheFolder();
  const home = join(cache, `contract-${version}`);
  if (!existsSync(join(home, "complete"))) await install(cache, home);
  const library = (
    await run(join(home, "bin", "python"), ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
  ).output;
  return {
    program: (name) => join(home, "bin", name),
    file: (path) => join(library.trim(), path),
  };
}

/** Where tools are kept that several checkouts share. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "junction");
}

/** Runs a program; never throws for how it ends. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...args], {
      timeout: MINUTES_5,
      maxBuffer: 64 * 1024 * 1024,
      ...options,
    });
    return { status: 0, output: stdout + stderr, stdout };
  } catch (error) {
    const { code, stdout = "", stderr = "", message } = error as Failed;
    return { status: typeof code === "number" ? code : 1, output: `${stdout}${stderr}` || message, stdout };
  }
}

export interface RunOptions {
  readonly cwd?: string;
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
}

interface Failed extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Programs name their folder, so it is made in place; the file `complete` says that nothing cut it short. */
async function install(cache: string, home: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  await rm(home, { recursive: true, force: true });
  await must("python3", ["-m", "venv", home]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
  await must(join(home, "bin", "python"), [...pip, "--requirement", requirements]);
  await mkdir(join(home, "complete"));
}

async function must(program: string, args: readonly string[]): Promise<void> {
  const { status, output } = await run(program, args);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed (${status}): ${output}`);
}
