import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Context } from "./command.ts";
import { CommandError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";
import { createBar } from "./progress.ts";

/** The service beside this command line, whose own commands know its database and its files. */
const SERVICE = fileURLToPath(new URL("../../service/src/main.ts", import.meta.url));
/** Where `npm start` runs, so that a relative data folder is the same one. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export const hasService = existsSync(SERVICE);

/** What a command of the service answered, and how it ended. */
export interface Operated {
  readonly answer: Record<string, unknown>;
  readonly exit: number;
}

/** Runs a command of the service, showing how far it is. Throws `CommandError` with what it said where it did not answer. */
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

/** In place of this process, so that signals and the exit code are the service's own. */
export async function becomeService({ io }: Pick<Context, "io">): Promise<number> {
  requireService();
  process.chdir(ROOT);
  const env = Object.fromEntries(
    Object.entries(io.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  if (process.platform !== "win32" && process.execve !== undefined) {
    // It is marked as experimental, which is nobody's business who starts a service.
    process.removeAllListeners("warning");
    process.execve(process.execPath, [process.execPath, SERVICE], env);
  }
  const child = spawn(process.execPath, [SERVICE], { cwd: ROOT, env, stdio: "inherit" });
  return await new Promise((resolve) => child.once("close", (code) => resolve(code ?? EXIT.interrupted)));
}

/** Runs a command of the service as it is, in this folder unless told, with this terminal; answers how it ended. */
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
