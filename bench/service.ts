import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../apps/service/src/testing/process.ts";
import { isReady, startProgram } from "../tools/program.ts";
import type { Program } from "../tools/program.ts";

/** The service as its own process, on an empty database of its own. */
export interface Service {
  readonly pid: number;
  readonly port: number;
  /** The time from the start to readiness, with a new database. */
  readonly readyMs: number;
  readonly databasePid: number;
  readonly databaseUrl: string;
  /** API key of the bootstrap owner. */
  readonly ownerKey: string;
  /** Ends the service and its database, and deletes their folder. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Arguments for Node, before the script. */
  readonly nodeArguments?: readonly string[];
  /** A program, with its arguments, that starts Node in its own place. */
  readonly wrapper?: readonly [string, ...string[]];
  /** Variables in addition to those of every service of the bench. */
  readonly environment?: Readonly<Record<string, string>>;
}

const READY_LIMIT_MS = 60_000;
const MAIN = new URL("../apps/service/src/main.ts", import.meta.url).pathname;
const LIMITS = {
  "events.fire": 100_000_000,
  "actions.run": 100_000_000,
  "management.read": 1_000_000,
  "management.write": 1_000_000,
};

export async function startService(options: ServiceOptions): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "junction-bench-"));
  const port = await freePort();
  const startedAt = performance.now();
  const [file, ...args] = [...(options.wrapper ?? []), process.execPath, ...(options.nodeArguments ?? []), MAIN];
  const program = startProgram(file ?? process.execPath, args, {
    // The errors in the log say why the service refused something.
    isShown: true,
    detached: true,
    env: {
      PATH: process.env["PATH"],
      JUNCTION_PORT: String(port),
      JUNCTION_BASE_URL: `http://127.0.0.1:${port}`,
      JUNCTION_DATA_DIR: folder,
      JUNCTION_BOOTSTRAP: join(folder, "bootstrap.json"),
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
      JUNCTION_RATE_LIMITS: JSON.stringify(LIMITS),
      JUNCTION_LOG_LEVEL: "error",
      ...options.environment,
    },
  });
  const stop = async (): Promise<void> => await stopService(program, folder);
  try {
    await program.until(async () => await isReady(port), READY_LIMIT_MS);
    const readyMs = performance.now() - startedAt;
    const bootstrap = JSON.parse(await readFile(join(folder, "bootstrap.json"), "utf8")) as { api_key: string };
    return {
      pid: program.pid,
      port,
      readyMs,
      databasePid: databasePid(folder),
      databaseUrl: options.environment?.["DATABASE_URL"] ?? embeddedUrl(folder),
      ownerKey: bootstrap.api_key,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopService(program: Program, folder: string): Promise<void> {
  const database = databasePid(folder);
  await program.end();
  // A killed service leaves its database behind. The process id is that of the server that was started for this folder.
  if (database > 0 && existsSync(pidFile(folder))) process.kill(database, "SIGQUIT");
  for (let waited = 0; existsSync(pidFile(folder)) && waited < 5000; waited += 50) await sleep(50);
  await rm(homeOf(folder), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

/** The service puts its database elsewhere when the server's user cannot enter the folder. */
function homeOf(folder: string): string {
  const pointer = join(folder, "postgres.location");
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : folder;
}

function pidFile(folder: string): string {
  return join(homeOf(folder), "postgres", "postmaster.pid");
}

function databasePid(folder: string): number {
  return existsSync(pidFile(folder)) ? Number(readFileSync(pidFile(folder), "utf8").split("\n")[0]) : 0;
}

function embeddedUrl(folder: string): string {
  return `postgres://junction:${text(folder, "postgres.password")}@127.0.0.1:${text(folder, "postgres.port")}/junction`;
}

function text(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8").trim();
}
