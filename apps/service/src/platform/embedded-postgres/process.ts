import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The user that a child runs as. `undefined` means the user of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Process {
  readonly pid: number;
  /** Arguments as the kernel stores them. A process that changed its title has one. */
  readonly argv: readonly string[];
}

export interface Finished {
  readonly code: number | null;
  /** The output of both streams, or the reason why the process could not be started. */
  readonly output: string;
}

/** The environment of every child. Our own environment contains secrets. */
export const CHILD_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Runs a command to its end. Never throws: the result of a command that cannot be started has `code: null`. */
export async function run(command: string, args: readonly string[], account: Account | undefined): Promise<Finished> {
  return await new Promise((resolve) => {
    // Every user can enter this working directory. Ours may be closed to the account.
    const child = spawn(command, args, { ...account, cwd: "/", env: CHILD_ENV, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", (error) => resolve({ code: null, output: error.message }));
    child.once("close", (code) => resolve({ code, output: output.trim() }));
  });
}

/** Returns true if a process has this id, for any owner, even if it is a zombie. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Returns the time at which a process started, in the system's own format. It distinguishes two processes that had the
 * same id.
 */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== "linux") return ps(["-o", "lstart=", "-p", String(pid)]).trim() || undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name and may contain spaces and brackets: count from its last bracket.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Returns the visible processes of this machine, without those that are ending. Returns none on Windows. */
export function processes(): Process[] {
  if (process.platform === "win32") return [];
  if (process.platform === "linux") {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), argv: argvOf(Number(name)) ?? [] }))
      .filter(({ argv }) => argv.length > 0);
  }
  return ps(["-axwwo", "pid=,command="])
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\S.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, command]) => ({ pid: Number(pid), argv: splitCommand(command ?? "") }));
}

/** Sends a signal. A process that has already ended is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/** Waits until `done()` returns true, for at most `limitMs`. Returns its last result. */
export async function until(done: () => boolean, limitMs: number): Promise<boolean> {
  const pollMs = 20;
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pollMs) {
    if (done()) return true;
    await sleep(pollMs);
  }
  return done();
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns the arguments of a process; `undefined` if it has ended or is ending. */
function argvOf(pid: number): string[] | undefined {
  try {
    const raw = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (raw !== "") return raw.replace(/(?<![\0 ])[\0 ]+$/, "").split("\0");
    // Zombies, processes about to end and kernel threads have no arguments.
    return undefined;
  } catch {
    return undefined;
  }
}

/**
 * Splits a command of `ps`, which does not mark where arguments end. The result is good enough here, unless a folder's
 * name contains a space.
 */
function splitCommand(command: string): string[] {
  return command.startsWith("postgres: ") ? [command] : command.split(" ");
}

function ps(args: readonly string[]): string {
  return execFileSync("/bin/ps", args, { encoding: "utf8", env: CHILD_ENV, stdio: ["ignore", "pipe", "ignore"] });
}
