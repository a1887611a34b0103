import { resolve } from "node:path";
import { createService } from "./app.ts";
import type { Service } from "./app.ts";
import { ConfigError, readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { EmbeddedError, migrate, runningEmbedded, startEmbedded } from "./db/db.ts";
import { isMember, joinFleet, startFleet } from "./app-fleet.ts";
import { VERSION } from "./kernel/kernel.ts";
import { serve, stopOnSignal, wire } from "./app-serve.ts";
import type { Ground } from "./app-serve.ts";
import { CommandError, commandOf, firstStart, keptMasterKey, UsageError } from "./setup/setup.ts";
import type { Command } from "./setup/setup.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import type { Log } from "./telemetry/telemetry.ts";

/** Faults of the configuration (sysexits.h). */
const EX_CONFIG = 78;
/** A command that is none. */
const EX_USAGE = 64;
const MIGRATIONS = new URL("db/migrations/", import.meta.url);
/** The service, from nothing to listening; ends with SIGTERM or SIGINT. */
async function run(config: Config): Promise<void> {
  const telemetry = createTelemetry(config.logLevel);
  const { log } = telemetry;
  warnOfAllowed(config, log);
  const embedded =
    config.databaseUrl === null ? await startEmbedded({ dataDir: resolve(config.dataDir), log }) : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? "";
  try {
    const applied = await migrate(databaseUrl, MIGRATIONS);
    if (applied.length > 0) log.info({ migrations: applied }, "database migrated");
    const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
    const stop = await begin({ config, telemetry, databaseUrl, masterKey });
    stopOnSignal(log, async () => {
      await stop();
      await embedded?.stop();
    });
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Answers what stops it. */
async function begin(ground: Ground): Promise<() => Promise<void>> {
  const { config, telemetry } = ground;
  const service = await wire(ground);
  const announcement = await claimGround(service, config);
  let stop: () => Promise<void>;
  if (config.processes === 1) stop = await serve(service, ground);
  else {
    await service.stop();
    ({ stop } = await startFleet(config.processes, { ...ground, log: telemetry.log }));
  }
  const { host, port, baseUrl: base_url, processes } = config;
  telemetry.log.info({ host, port, base_url, processes, pid: process.pid }, "Junction is ready");
  if (announcement !== undefined) process.stdout.write(announcement);
  return stop;
}

/** Fills an empty database. Answers what is to be printed once requests are taken. Throws ConfigError where strangers could claim the installation. */
async function claimGround(service: Service, config: Config): Promise<string | undefined> {
  const announcement = await firstStart({ ...service, endpoints: service.deliver.endpoints, ...config });
  const local = config.host === "::1" || config.host === "localhost" || config.host.startsWith("127.");
  if (local || (await service.workspaces.hasOwner())) return announcement;
  throw new ConfigError([
    `JUNCTION_HOST=${config.host}: nobody has claimed this installation yet. Start it on 127.0.0.1 and use the set-up link first, or set JUNCTION_BOOTSTRAP`,
  ]);
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

function warnOfAllowed(config: Config, log: Log): void {
  if (config.allowTargets.length === 0) return;
  log.warn(
    { allow: config.allowTargetsText },
    "JUNCTION_ALLOW_TARGETS: deliveries may reach these addresses, http included. Nobody else's network should be among them",
  );
}

try {
  const args = process.argv.slice(2);
  if (isMember) await joinFleet(readConfig());
  else if (args.length === 0) await run(readConfig());
  else process.stdout.write(await runCommand(commandOf(args)));
} catch (error) {
  const told = [ConfigError, EmbeddedError, UsageError, CommandError].some((kind) => error instanceof kind);
  process.stderr.write(
    `${error instanceof Error ? (told ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
  );
  process.exit(error instanceof ConfigError ? EX_CONFIG : error instanceof UsageError ? EX_USAGE : 1);
}
