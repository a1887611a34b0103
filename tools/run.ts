import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The output of a command and its exit status. */
export interface Ran {
  readonly status: number;
  /** Both of its outputs. */
  readonly output: string;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

const MINUTES_5 = 300_000;

/** Runs a program. Never throws for its exit status. */
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

/** Runs a program that must succeed. */
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
