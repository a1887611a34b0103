import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { tracked } from "./running.ts";
import { SERVICE_WEIGHT, weigh } from "./weight.ts";

/** A node of the service as a process of its own, always on the same port. */
export interface Node {
  readonly port: number;
  pid(): number;
  isRunning(): boolean;
  /** Starts it and waits until it says that it is ready. */
  start(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM; answers its exit code. */
  stop(): Promise<number | null>;
  isReady(): Promise<boolean>;
  /** The end of what it printed. */
  output(): string;
}

export interface NodeOptions {
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** Another `main.ts` than this tree's. */
  readonly main?: string;
}

const MAIN = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url));
const READY_MS = 120_000;
const STOP_MS = 35_000;
const KEPT = 8000;

export function createNode({ port, env, main = MAIN }: NodeOptions): Node {
  let child: ChildProcess | undefined;
  let text = "";
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === undefined || !isRunning()) return child?.exitCode ?? null;
    const ended = once(child, "exit");
    child.kill(signal);
    const limit = setTimeout(() => child?.kill("SIGKILL"), STOP_MS);
    const [code] = await ended;
    clearTimeout(limit);
    return code as number | null;
  };
  const isReady = async (): Promise<boolean> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5000) });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  };
  tracked(async () => {
    await end("SIGTERM");
  }, true);
  return {
    port,
    pid: () => child?.pid ?? 0,
    isRunning,
    async start() {
      child = spawn(process.execPath, [main], {
        stdio: ["ignore", "pipe", "pipe"],
        // The process has a session of its own, because Ctrl-C must not stop it before the experiment has ended its work.
        detached: true,
        env: { PATH: process.env["PATH"], JUNCTION_PORT: String(port), ...env },
      });
      if (child.pid !== undefined) weigh(child.pid, SERVICE_WEIGHT);
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (chunk: string) => {
          text = (text + chunk).slice(-KEPT);
        });
      }
      const endAt = performance.now() + READY_MS;
      while (!(await isReady())) {
        if (!isRunning()) throw new Error(`a node ended before it was ready:\n${text}`);
        if (performance.now() > endAt) throw new Error(`a node did not become ready:\n${text}`);
        await sleep(100);
      }
    },
    kill: async () => {
      await end("SIGKILL");
    },
    stop: async () => await end("SIGTERM"),
    isReady,
    output: () => text,
  };
}
