import { resolve } from "node:path";
import type { Service } from "../service.ts";
import type { Config } from "../config/config.ts";
import { isLoopback } from "../lib/lib.ts";
import { migrate, startEmbedded } from "../platform/db/db.ts";
import { MIGRATIONS } from "./commands.ts";
import { startFleet } from "./cluster.ts";
import { exitOnSignal } from "./exit.ts";
import { requireMachine } from "./preflight.ts";
import { serve, stopOnSignal, createServer } from "./serve.ts";
import type { ProcessContext } from "./serve.ts";
import { ConfigError, firstStart, keptMasterKey } from "../operator/operator.ts";
import { createTelemetry } from "../platform/telemetry/telemetry.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";

/**
 * Starts the service. It ends with SIGTERM or SIGINT. `prepare` is work that begins with the start, after the preflight checks; the
 * service is ready only when it has ended.
 */
export async function startService(config: Config, prepare: (() => Promise<unknown>) | undefined): Promise<void> {
  const telemetry = createTelemetry(config.logLevel, config.logFormat, config.metricsTenants);
  const { log } = telemetry;
  warnOfAllowed(config, log);
  await requireMachine(config);
  const forget = exitOnSignal();
  const prepared = prepare?.();
  const embedded =
    config.databaseUrl === null
      ? await startEmbedded({ dataDir: resolve(config.dataDir), log, processes: config.processes })
      : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? "";
  try {
    const applied = await migrate(databaseUrl, MIGRATIONS);
    if (applied.length > 0) log.info({ migrations: applied }, "database migrated");
    const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
    const { stop, announcement } = await begin({ config, telemetry, databaseUrl, masterKey }, prepared);
    stopOnSignal(log, async () => {
      await stop();
      await embedded?.stop();
    });
    // The exit handler goes only after `stopOnSignal`, and before the log line, whose reader may send a signal at once.
    forget();
    announceReady(config, telemetry.log, announcement);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

interface Begun {
  stop(): Promise<void>;
  /** The text to print once the service is ready. */
  readonly announcement: string | undefined;
}

async function begin(ground: ProcessContext, prepared: Promise<unknown> | undefined): Promise<Begun> {
  const { config, telemetry } = ground;
  telemetry.log.info({}, "starting the service");
  const service = await createServer(ground);
  const announcement = await prepareInstallation(service, config).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  let stop: () => Promise<void>;
  if (config.processes === 1) stop = await serve(service, ground);
  else {
    await service.stop();
    ({ stop } = await startFleet(config.processes, { ...ground, log: telemetry.log }));
  }
  await prepared;
  return { stop, announcement };
}

function announceReady(config: Config, log: Log, announcement: string | undefined): void {
  const { host, port, baseUrl: base_url, processes } = config;
  if (config.logFormat === "text") process.stdout.write(`\n  Junction is ready:  ${base_url}\n`);
  else log.info({ host, port, base_url, processes, pid: process.pid }, "Junction is ready");
  if (announcement !== undefined) process.stdout.write(announcement);
}

/** Fills an empty database and returns the text to print. Throws ConfigError if others could claim the installation. */
async function prepareInstallation(service: Service, config: Config): Promise<string | undefined> {
  const announcement = await firstStart({ ...service, endpoints: service.deliver.endpoints, ...config });
  if (isLoopback(config.host) || config.claimFromAnywhere || (await service.workspaces.hasOwner())) return announcement;
  throw new ConfigError([
    `\`JUNCTION_HOST\` must be 127.0.0.1 until the installation has an owner; got ${JSON.stringify(config.host)}. Start it on 127.0.0.1 and open its claim link, or set \`JUNCTION_CLAIM\` to any, or \`JUNCTION_BOOTSTRAP\`.`,
  ]);
}

function warnOfAllowed(config: Config, log: Log): void {
  if (config.allowTargets.length === 0) return;
  log.warn(
    { allow: config.allowTargetsText },
    "JUNCTION_ALLOW_TARGETS: deliveries can reach these addresses, also over http. List only networks that you control",
  );
}
