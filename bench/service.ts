import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../apps/service/src/testing/process.ts";

/** The service as its own process, on an empty database of its own. */
export interface Service {
  readonly pid: number;
  readonly port: number;
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
  /** Variables in addition to those of every service of the bench. */
  readonly environment?: Readonly<Record<string, string>>;
}

const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 35_000;
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
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), MAIN], {
    // The errors in the log say why the service refused something.
    stdio: ["ignore", 2, "inherit"],
    // The process has a session of its own, because Ctrl-C must not stop it before the bench has ended its work.
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
  const stop = async (): Promise<void> => await stopService(child, folder);
  try {
    await ready(child, port);
    const bootstrap = JSON.parse(await readFile(join(folder, "bootstrap.json"), "utf8")) as { api_key: string };
    return {
      pid: child.pid ?? 0,
      port,
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

async function ready(child: ChildProcess, port: number): Promise<void> {
  const endAt = performance.now() + READY_LIMIT_MS;
  while (performance.now() < endAt) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("the service ended at its start");
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await sleep(50);
  }
  throw new Error("the service did not become ready");
}

async function stopService(child: ChildProcess, folder: string): Promise<void> {
  const database = databasePid(folder);
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<boolean>((resolve) => child.once("exit", () => resolve(true)));
    child.kill("SIGTERM");
    const inTime = await Promise.race([ended, sleep(STOP_LIMIT_MS, false, { ref: false })]);
    if (!inTime) child.kill("SIGKILL");
    await ended;
  }
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
