import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A third-party program that a connector was written for. It runs on this machine for a test. */
export interface Counterpart {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Returns everything that the program printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

export interface Start {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the program, removed when it stops. */
  readonly folder: string;
  /** Returns the URL once the program listens. It is called repeatedly with everything that the program printed so far. */
  ready(printed: string): Promise<string | undefined>;
}

const READY_MS = 60_000;
const POLL_MS = 100;
const running = new Map<ChildProcess, string>();

// Counterparts end with the test process, however the test ends.
process.on("exit", () => {
  for (const [child, folder] of running) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Starts a program and waits until it answers, a minute at most. */
export async function startCounterpart(start: Start): Promise<Counterpart> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: start.folder, ...start.env };
  const child = spawn(start.program, [...start.args], {
    cwd: start.folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.set(child, start.folder);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.once("error", (error) => (text += error.message));
  const stop = async (): Promise<void> => await end(child, start.folder);
  try {
    return { url: await readyUrl(start, child, () => text), printed: () => text, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a folder for one counterpart. */
export async function newFolder(name: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `junction-${name}-`));
}

/** Returns true if the URL answers with any status. */
export async function answers(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}

async function readyUrl(start: Start, child: ChildProcess, printed: () => string): Promise<string> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error(`${start.name} ended before it was ready:\n${printed()}`);
    const url = await start.ready(printed());
    if (url !== undefined) return url;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${start.name} was not ready in time:\n${printed()}`);
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const isThere = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const ended = isThere ? once(child, "exit") : undefined;
  child.kill("SIGKILL");
  await ended;
  rmSync(folder, { recursive: true, force: true });
  running.delete(child);
}
