import { execFile } from "node:child_process";
import { flushCompileCache } from "node:module";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { createService } from "../service.ts";
import type { Service } from "../service.ts";
import { listen } from "../server/server.ts";
import { listeningCode, listeningRefusal } from "./preflight.ts";
import type { Config } from "../config/config.ts";
import { createMaintenance, createStatistics } from "../platform/db/db.ts";
import { VERSION } from "../lib/lib.ts";
import type { Log, Telemetry } from "../platform/telemetry/telemetry.ts";

/** The context of a process of the service. Its database is migrated. */
export interface ProcessContext {
  readonly config: Config;
  readonly telemetry: Telemetry;
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
}

/** The maximum time from SIGTERM to the exit (contract, section 1). */
export const DRAIN_MS = 30_000;

/**
 * Limits the growth of the heap before a collection, in percent of its live size. This halves the heap at no cost
 * (docs/performance.md).
 */
const HEAP_GROWTH = "--heap-growing-percent=100";

/** Creates the service without starting it. */
export async function createServer(ground: ProcessContext): Promise<Service> {
  return await createService({
    ...ground,
    version: { version: VERSION, node: process.version, git_sha: await gitSha() },
  });
}

/**
 * Starts the service and listens. Returns a function that stops it. If it cannot listen, stops everything and throws.
 */
export async function serve(
  service: Service,
  { config, telemetry }: Pick<ProcessContext, "config" | "telemetry">,
): Promise<() => Promise<void>> {
  setFlagsFromString(HEAP_GROWTH);
  const maintenance = createMaintenance({
    db: service.db,
    log: telemetry.log,
    retentionDays: config.retentionDays,
  });
  const statistics = createStatistics({ db: service.db, log: telemetry.log });
  const stop = async (): Promise<void> => {
    await Promise.all([statistics.stop(), maintenance.stop()]);
    await service.stop();
  };
  try {
    await maintenance.start();
    await service.start();
    statistics.start();
    await listen(service.http, config);
    service.selfTest.start();
    // Node keeps the compiled code of all modules in memory, 25 MiB, until it is written.
    flushCompileCache();
  } catch (error) {
    await stop();
    const code = listeningCode(error);
    throw code === undefined ? error : await listeningRefusal(config, code);
  }
  return stop;
}

/**
 * Ends the process with the first SIGTERM or SIGINT: with 0 once `stop` is done, or with 1 if that fails or takes too
 * long.
 */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping: no new requests are accepted; running attempts finish first");
    setTimeout(() => {
      log.error({}, "failed to stop in time; other nodes take over the remaining work when its leases expire");
      process.exit(1);
    }, DRAIN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "failed to stop");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

async function gitSha(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname });
    return stdout.trim();
  } catch {
    return null;
  }
}
