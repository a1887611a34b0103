import { resolve } from "node:path";
import type { Service } from "./app.ts";
import { ConfigError, readAuthor, readConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { DatabaseRefusal, EmbeddedError, migrate, startEmbedded } from "./db/db.ts";
import { MIGRATIONS, runCommand } from "./app-command.ts";
import { isMember, joinFleet, startFleet } from "./app-fleet.ts";
import { serve, stopOnSignal, wire } from "./app-serve.ts";
import type { Ground } from "./app-serve.ts";
import { CommandError, commandOf, firstStart, keptMasterKey, UsageError } from "./setup/setup.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import type { Log } from "./telemetry/telemetry.ts";

/** Faults of the configuration (sysexits.h). */
const EX_CONFIG = 78;
/** A command that is none. */
const EX_USAGE = 64;
/** A command that a signal ended. */
const EX_INTERRUPTED = 130;

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
  else {
    // What ends with this process, the database among it, is ended in order.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(EX_INTERRUPTED));
    const { text, exit } = await runCommand(commandOf(args), { readConfig, readAuthor });
    process.stdout.write(text);
    process.exitCode = exit;
    // Whoever told it of progress would else wait for it.
    process.disconnect?.();
  }
} catch (error) {
  const told = [ConfigError, EmbeddedError, DatabaseRefusal, UsageError, CommandError].some(
    (kind) => error instanceof kind,
  );
  process.stderr.write(
    `${error instanceof Error ? (told ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
  );
  process.exit(statusOf(error));
}

function statusOf(error: unknown): number {
  if (error instanceof ConfigError) return EX_CONFIG;
  if (error instanceof UsageError) return EX_USAGE;
  return error instanceof CommandError ? error.status : 1;
}
