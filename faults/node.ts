import { fileURLToPath } from "node:url";
import { isReady, startProgram } from "../tools/program.ts";
import type { Program } from "../tools/program.ts";
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
  /** The output since its last start. */
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

export function createNode({ port, env, main = MAIN }: NodeOptions): Node {
  let program: Program | undefined;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => (await program?.end(signal)) ?? null;
  tracked(async () => void (await end("SIGTERM")), true);
  return {
    port,
    pid: () => program?.pid ?? 0,
    isRunning: () => program?.isRunning() === true,
    async start() {
      program = startProgram(process.execPath, [main], {
        detached: true,
        env: { PATH: process.env["PATH"], JUNCTION_PORT: String(port), ...env },
      });
      weigh(program.pid, SERVICE_WEIGHT);
      await program.until(async () => await isReady(port), READY_MS);
    },
    kill: async () => void (await end("SIGKILL")),
    stop: async () => await end("SIGTERM"),
    isReady: async () => await isReady(port),
    output: () => program?.output() ?? "",
  };
}
