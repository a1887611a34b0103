import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the process has printed this to either stream. Rejects if it ends before. */
  printed(wanted: string | RegExp): Promise<void>;
  /** Sends SIGINT, like Ctrl-C. Returns the result. */
  stop(): Promise<Ran>;
  /** Sends SIGTERM. */
  terminate(): void;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Suspends the process, as a closed laptop does; `resume` continues it. */
  pause(): void;
  resume(): void;
  type(text: string): void;
  readonly ended: Promise<Ran>;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** The program to run instead of the command line. */
  readonly program?: string;
}

export const BIN = fileURLToPath(new URL("../../bin/junction.mjs", import.meta.url));
const PRINTED_MS = 60_000;

/** Creates a separate folder for the files of the command line. */
export async function home(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "junction-cli-"));
}

/** Runs the command line as a separate process, without a terminal. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<Ran> {
  return await start(args, options).ended;
}

export function start(args: readonly string[], { env = {}, input = "", cwd, program = BIN }: CliOptions = {}): Running {
  const child = spawn(process.execPath, [program, ...args], { env: environment(env), cwd: cwd ?? tmpdir() });
  child.stdin.on("error", () => undefined).end(input);
  return running(child);
}

/** Runs the command line at its own terminal, like a person. `type` sends the input. */
export function atTerminal(args: readonly string[], { env = {} }: CliOptions = {}): Running {
  const command = [process.execPath, BIN, ...args]
    .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...environment(env), TERM: "xterm", SHELL: "/bin/sh" },
    cwd: tmpdir(),
  });
  return running(child);
}

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  // `script` and the launcher search for programs.
  return { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, XDG_CONFIG_HOME: "/nonexistent", ...env };
}

function running(child: ChildProcess): Running {
  const texts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      texts[name] += chunk;
      for (const listener of listeners) listener();
    });
  const ended = once(child, "close").then(([status]) => ({ status: status as number | null, ...texts }));
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    printed: async (wanted) =>
      await new Promise((resolve, reject) => {
        const give = (why: string): void =>
          reject(new Error(`${why} without ${String(wanted)}:\n${texts.stdout}\n${texts.stderr}`));
        const timer = setTimeout(() => give("too long"), PRINTED_MS);
        const check = (): void => {
          const all = `${texts.stdout}\n${texts.stderr}`;
          if (!(typeof wanted === "string" ? all.includes(wanted) : wanted.test(all))) return;
          clearTimeout(timer);
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        void ended.then(() => give("it ended"));
        check();
      }),
    async stop() {
      child.kill("SIGINT");
      return await ended;
    },
    terminate: () => void child.kill("SIGTERM"),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    type: (text) => void child.stdin?.write(text),
  };
}
