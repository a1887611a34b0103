import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../program.ts";

/** A third-party program that a connector was written for. It runs on this machine for a test. */
export interface Counterpart {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Returns everything that the program printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the program, removed when it stops. */
  readonly folder: string;
  /** Returns the URL once the program listens. It is called repeatedly with everything that the program printed so far. */
  ready(printed: string): Promise<string | undefined>;
}

const READY_MS = 60_000;

/** Starts a program and waits until it answers, a minute at most. */
export async function startCounterpart({ program, args, env, folder, ready }: Start): Promise<Counterpart> {
  const started = startProgram(program, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
  });
  const stop = async (): Promise<void> => {
    await started.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const url = await started.until(async () => await ready(started.output()), READY_MS);
    return { url, printed: started.output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a folder for one counterpart. */
export async function newFolder(name: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `junction-${name}-`));
}
