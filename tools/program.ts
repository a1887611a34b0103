import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** A program in a process of its own. It runs until it is ended, or until this process ends. */
export interface Program {
  readonly pid: number;
  isRunning(): boolean;
  /** Returns what it printed so far; of more than a megabyte, the end. */
  output(): string;
  /** Looks until there is a result, and returns it. Throws with the output if the program ends before, or takes longer than the limit. */
  until<Result>(look: () => Promise<Result | false | undefined>, limitMs: number): Promise<Result>;
  /** Ends it, with SIGTERM by default. One that is not gone after 35 s is killed. Returns its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gives it a session of its own, so that Ctrl-C does not end it before its users. */
  readonly detached?: boolean;
  /** Shows its output on standard error too. */
  readonly isShown?: boolean;
}

const LOOK_MS = 50;
const END_MS = 35_000;
const MOST_OUTPUT = 1024 * 1024;
/** The part of the output that an error repeats. */
const MOST_SHOWN = 8000;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startProgram(name: string, args: readonly string[], options: ProgramOptions): Program {
  const { isShown = false, ...rest } = options;
  const child = spawn(name, [...args], { ...rest, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const print = (chunk: string): void => {
    text = (text + chunk).slice(-MOST_OUTPUT);
    if (isShown) process.stderr.write(chunk);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", print);
  running.add(child);
  child.once("exit", () => running.delete(child)).once("error", ({ message }) => print(message));
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const fault = (what: string): Error => new Error(`${name} ${what}:\n${text.slice(-MOST_SHOWN)}`);
  return {
    pid: child.pid ?? 0,
    isRunning,
    output: () => text,
    async until(look, limitMs) {
      const endAt = performance.now() + limitMs;
      for (;;) {
        if (!isRunning()) throw fault("ended before it was ready");
        const result = await look();
        if (result !== undefined && result !== false) return result;
        if (performance.now() > endAt) throw fault("was not ready in time");
        await sleep(LOOK_MS);
      }
    },
    async end(signal = "SIGTERM") {
      if (!isRunning()) return child.exitCode;
      const ended = once(child, "exit");
      child.kill(signal);
      const limit = setTimeout(() => child.kill("SIGKILL"), END_MS);
      await ended;
      clearTimeout(limit);
      return child.exitCode;
    },
  };
}

/** Returns true if the URL answers with any status. */
export async function answers(url: string): Promise<boolean> {
  return (await statusOf(url)) !== undefined;
}

/** Returns true if the service on the port says that it is ready. */
export async function isReady(port: number): Promise<boolean> {
  return (await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200;
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
