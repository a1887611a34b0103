import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { createService } from "./app.ts";
import type { Service } from "./app.ts";
import { ConfigError, readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { createMaintenance, EmbeddedError, migrate, runningEmbedded, startEmbedded } from "./db/db.ts";
import type { Embedded } from "./db/db.ts";
import { VERSION } from "./kernel/kernel.ts";
import { CommandError, commandOf, firstStart, keptMasterKey, UsageError } from "./setup/setup.ts";
import type { Command } from "./setup/setup.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import type { Log, Telemetry } from "./telemetry/telemetry.ts";

/** Faults of the configuration (sysexits.h). */
const EX_CONFIG = 78;
/** A command that is none. */
const EX_USAGE = 64;
const MIGRATIONS = new URL("db/migrations/", import.meta.url);
/** SIGTERM to exit (contract, section 1). */
const DRAIN_MS = 30_000;

/** How much the heap may grow, in percent of what is live, until it is collected: measured to halve it at no cost (docs/performance.md). */
const HEAP_GROWTH = "--heap-growing-percent=50";

/** One process of the service, from nothing to listening; ends with SIGTERM or SIGINT. */
async function run(config: Config): Promise<void> {
  setFlagsFromString(HEAP_GROWTH);
  const telemetry = createTelemetry(config.logLevel);
  const { log } = telemetry;
  warnOfAllowed(config, log);
  const embedded =
    config.databaseUrl === null ? await startEmbedded({ dataDir: resolve(config.dataDir), log }) : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? "";
  try {
    await serve({ config, telemetry, embedded, databaseUrl });
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

interface Ready {
  readonly config: Config;
  readonly telemetry: Telemetry;
  readonly embedded: Embedded | undefined;
  readonly databaseUrl: string;
}

async function serve({ config, telemetry, embedded, databaseUrl }: Ready): Promise<void> {
  const { log } = telemetry;
  const applied = await migrate(databaseUrl, MIGRATIONS);
  if (applied.length > 0) log.info({ migrations: applied }, "database migrated");
  const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
  const version = { version: VERSION, node: process.version, git_sha: await gitSha() };
  const service = await createService({ config, databaseUrl, masterKey, version, telemetry });
  const maintenance = createMaintenance({ db: service.db, log, retentionDays: config.retentionDays });
  await maintenance.start();
  const announcement = await firstStart({ ...service, endpoints: service.deliver.endpoints, ...config });
  await refuseOpenHost(service, config);
  await service.start();
  await service.http.listen({ host: config.host, port: config.port });
  log.info({ host: config.host, port: config.port, base_url: config.baseUrl, pid: process.pid }, "Junction is ready");
  if (announcement !== undefined) process.stdout.write(announcement);
  stopOnSignal(log, async () => {
    await maintenance.stop();
    await service.stop();
    await embedded?.stop();
  });
}

type Operating = Extract<Command, { readonly on: "installation" }>;

/** Runs a command on files as it is; one of the installation on the external database, on the embedded one of a service that runs now, or on that started for it. */
async function runCommand(command: Command): Promise<string> {
  if (command.on === "files") return await command.run();
  const config = readConfig();
  const there = config.databaseUrl ?? (await runningEmbedded(config.dataDir));
  if (there !== undefined) return await runCommandOn(there, command, config);
  const embedded = await startEmbedded({ dataDir: resolve(config.dataDir), log: createTelemetry("silent").log });
  try {
    return await runCommandOn(embedded.url, command, config);
  } finally {
    await embedded.stop();
  }
}

async function runCommandOn(databaseUrl: string, command: Operating, config: Config): Promise<string> {
  await migrate(databaseUrl, MIGRATIONS);
  const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
  const version = { version: VERSION, node: process.version, git_sha: null };
  const telemetry = createTelemetry("silent");
  const service = await createService({ config, databaseUrl, masterKey, version, telemetry });
  try {
    return await command.run(service);
  } finally {
    await service.stop();
  }
}

function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping: no new requests; attempts under way end first");
    setTimeout(() => {
      log.error({}, "did not stop in time; what is left is taken over when its leases end");
      process.exit(1);
    }, DRAIN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

async function refuseOpenHost(service: Service, config: Config): Promise<void> {
  const local = config.host === "::1" || config.host === "localhost" || config.host.startsWith("127.");
  if (local || (await service.workspaces.hasOwner())) return;
  throw new ConfigError([
    `JUNCTION_HOST=${config.host}: nobody has claimed this installation yet. Start it on 127.0.0.1 and use the set-up link first, or set JUNCTION_BOOTSTRAP`,
  ]);
}

function warnOfAllowed(config: Config, log: Log): void {
  if (config.allowTargets.length === 0) return;
  log.warn(
    { allow: config.allowTargetsText },
    "JUNCTION_ALLOW_TARGETS: deliveries may reach these addresses, http included. Nobody else's network should be among them",
  );
}

async function gitSha(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname });
    return stdout.trim();
  } catch {
    return null;
  }
}

try {
  const args = process.argv.slice(2);
  if (args.length === 0) await run(readConfig());
  else process.stdout.write(await runCommand(commandOf(args)));
} catch (error) {
  const told = [ConfigError, EmbeddedError, UsageError, CommandError].some((kind) => error instanceof kind);
  process.stderr.write(
    `${error instanceof Error ? (told ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
  );
  process.exit(error instanceof ConfigError ? EX_CONFIG : error instanceof UsageError ? EX_USAGE : 1);
}
