import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Context } from "./command.ts";
import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";
import { createBar } from "./progress.ts";

/** The service next to this command line. Its own commands know its database and its files. */
const SERVICE = fileURLToPath(new URL("../../service/src/main.ts", import.meta.url));
/** The folder in which `npm start` runs, so that a relative data folder is the same one. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export const hasService = existsSync(SERVICE);

/** The answer of a command of the service, and its exit code. */
export interface Operated {
  readonly answer: Record<string, unknown>;
  readonly exit: number;
}

/**
 * Runs a command of the service and shows its progress. Throws `CommandError` with the command's messages if it gave no
 * answer.
 */
export async function operate({ io }: Pick<Context, "io">, args: readonly string[]): Promise<Operated> {
  requireService();
  const bar = createBar(io);
  const child = spawn(process.execPath, [SERVICE, ...args], {
    cwd: ROOT,
    env: { ...io.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.on("message", (message) => {
    const { progress } = { ...(message as { progress?: { label: string; done: number; total: number } }) };
    if (progress !== undefined) bar.at(progress.label, progress.done, progress.total);
  });
  const stop = (): void => void child.kill("SIGTERM");
  io.signal.addEventListener("abort", stop, { once: true });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code ?? EXIT.interrupted));
  });
  const [out, err, exit] = await Promise.all([allOf(child.stdout), allOf(child.stderr), ended]);
  bar.end();
  io.signal.removeEventListener("abort", stop);
  const answer = objectIn(out);
  if (answer === undefined) throw new CommandError(err.trim() || `The service exited with code ${exit}.`, exitOf(exit));
  return { answer, exit };
}

/** Runs the service in place of this process, so that signals and the exit code are the service's own. */
export async function becomeService({ io }: Pick<Context, "io">): Promise<number> {
  requireService();
  process.chdir(ROOT);
  const env = Object.fromEntries(
    Object.entries(io.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  if (process.platform !== "win32" && process.execve !== undefined) {
    // The warning that `execve` is experimental is irrelevant for a user who starts a service.
    process.removeAllListeners("warning");
    process.execve(process.execPath, [process.execPath, SERVICE], env);
  }
  const child = spawn(process.execPath, [SERVICE], { cwd: ROOT, env, stdio: "inherit" });
  return await new Promise((resolve) => child.once("close", (code) => resolve(code ?? EXIT.interrupted)));
}

/** Runs a command of the service unchanged, in the given folder and with this terminal. Returns its exit code. */
export async function passOn(
  { io }: Pick<Context, "io">,
  args: readonly string[],
  folder: "here" | "service",
): Promise<number> {
  requireService();
  const cwd = folder === "here" ? process.cwd() : ROOT;
  const child = spawn(process.execPath, [SERVICE, ...args], { cwd, env: { ...io.env }, stdio: "inherit" });
  const stop = (): void => void child.kill("SIGTERM");
  io.signal.addEventListener("abort", stop, { once: true });
  return await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code ?? EXIT.interrupted));
  });
}

async function allOf(stream: Readable | null): Promise<string> {
  return stream === null ? "" : await textOf(stream);
}

function requireService(): void {
  if (hasService) return;
  throw new CommandError(
    "This command needs the files of a Junction service, but no service is installed with this command line. On the service's machine, run the `junction` of its repository or offline archive.",
    EXIT.config,
  );
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return undefined;
  }
}

const KNOWN: ReadonlySet<number> = new Set(Object.values(EXIT));

function exitOf(code: number): number {
  return code !== EXIT.done && KNOWN.has(code) ? code : EXIT.refused;
}
