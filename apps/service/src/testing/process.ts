import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly pid: number;
  /** Returns the output so far. */
  output(): string;
  /** Resolves with the output when the service is ready. Rejects if the process ends before. */
  ready(): Promise<string>;
  /** Sends SIGKILL to this process only. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const READY_MS = 120_000;

/** Starts the real service as a separate process, as `npm start` does. */
export function startProcess(env: Readonly<Record<string, string>>, port: number): ServiceProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env["PATH"] ?? "", JUNCTION_PORT: String(port), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const ended = once(child, "exit");
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    output: () => text,
    ready: async () =>
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not ready in time:\n${text}`)), READY_MS);
        const check = (): void => {
          if (!text.includes("Junction is ready")) return;
          clearTimeout(timer);
          listeners.delete(check);
          // The lines after the readiness line are printed immediately after it.
          setTimeout(() => resolve(text), 100);
        };
        listeners.add(check);
        child.once("exit", (code) => reject(new Error(`ended with ${code} before it was ready:\n${text}`)));
        check();
      }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code as number | null;
    },
  };
}

/** Ports outside the ephemeral range, in blocks of a hundred, so that a port stays free while the service on it is down. 10080 is below, because `fetch` refuses it. */
const FIRST_PORT = 10_100;
const BLOCK_PORTS = 100;
const BLOCKS = 220;
let block: Promise<number> | undefined;
let ports = 0;

export async function freePort(): Promise<number> {
  block ??= ownBlock();
  const first = FIRST_PORT + (await block) * BLOCK_PORTS;
  for (let tries = 0; tries < BLOCK_PORTS; tries += 1) {
    const port = first + (ports % BLOCK_PORTS);
    ports += 1;
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

/** Claims a block until this process ends. Two processes with one block would choose a port that the other has chosen and not used yet. */
async function ownBlock(): Promise<number> {
  // Only Linux has names of sockets that end with their process.
  if (process.platform !== "linux") return process.pid % BLOCKS;
  for (let tries = 0; tries < BLOCKS; tries += 1) {
    const candidate = (process.pid + tries) % BLOCKS;
    const claim = createServer().unref();
    try {
      await once(claim.listen({ path: `\0junction-test-ports:${candidate}`, exclusive: true }), "listening");
      return candidate;
    } catch {
      claim.close();
    }
  }
  throw new Error("other processes use all ports of tests");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ port, host: "127.0.0.1", exclusive: true }), "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
