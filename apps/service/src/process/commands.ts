import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { EXIT } from "./exit.ts";
import type { Environment } from "./program.ts";
import type { Telemetry } from "../platform/telemetry/telemetry.ts";
import { hasEmbedded, migrate, runningEmbedded, startEmbedded } from "../platform/db/db.ts";
import { VERSION } from "../lib/lib.ts";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { keptMasterKey } from "../operator/operator.ts";
import type { Command, Host, CommandResult, DatabaseLocation } from "../operator/operator.ts";

export const MIGRATIONS = new URL("../platform/db/migrations/", import.meta.url);

type OnDatabase = Extract<Command, { readonly on: "installation" | "database" }>;

/**
 * Runs a command. A command on a database uses the external one, the embedded one of a running service, or an embedded
 * one that is started for the command.
 */
export async function runCommand(command: Command, { readConfig, readAuthor }: Environment): Promise<CommandResult> {
  if (command.on === "files") return await command.run(readAuthor());
  if (command.on === "machine") return await command.run(machine(readConfig));
  const config = readConfig();
  const there = await runningDatabase(config);
  if (there !== undefined) return await runOn(there, command, config);
  const dataDir = resolve(config.dataDir);
  assertDatabaseExists(command, dataDir);
  const embedded = await startEmbedded({ dataDir, log: (await silentTelemetry()).log });
  try {
    return await runOn(embedded.url, command, config);
  } finally {
    await embedded.stop();
  }
}

/**
 * Throws if there is no database, because the command would otherwise create a new, empty installation in a wrong
 * folder.
 */
function assertDatabaseExists(command: OnDatabase, dataDir: string): void {
  if (hasEmbedded(dataDir) || (command.on === "database" && command.createsDatabase === true)) return;
  const detail = `There is no database in ${dataDir}. Set \`JUNCTION_DATA_DIR\` or \`DATABASE_URL\` as the service has it, or start the service once.`;
  throw new CommandError(detail, EXIT.config);
}

async function runOn(databaseUrl: string, command: OnDatabase, config: Config): Promise<CommandResult> {
  const place = placeOf(databaseUrl, config);
  if (command.on === "database") return await command.run(place);
  await migrate(databaseUrl, MIGRATIONS);
  const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
  return await place.within(masterKey, async (site) => await command.run(site, place));
}

function placeOf(databaseUrl: string, config: Config): DatabaseLocation {
  return {
    databaseUrl,
    dataDir: resolve(config.dataDir),
    baseUrl: config.baseUrl,
    masterKey: config.masterKey,
    previousMasterKeys: config.previousMasterKeys,
    migrations: MIGRATIONS,
    async within(masterKey, work) {
      const version = { version: VERSION, node: process.version, git_sha: null };
      // Loaded only here, because most commands do not need the service, and it takes a second to load.
      const { createService } = await import("../service.ts");
      const telemetry = await silentTelemetry();
      const service = await createService({ config, databaseUrl, masterKey, version, telemetry });
      try {
        return await work(service);
      } finally {
        await service.stop();
      }
    },
  };
}

function machine(readConfig: () => Config): Host {
  return {
    settings() {
      const { host, port, baseUrl, dataDir, databaseUrl, masterKey, dnsServers, egress, mail } = readConfig();
      return { host, port, baseUrl, dataDir, masterKey, dnsServers, egress, mail, isExternal: databaseUrl !== null };
    },
    runningDatabase: async () => await runningDatabase(readConfig()),
    placeOn: (databaseUrl) => placeOf(databaseUrl, readConfig()),
  };
}

async function runningDatabase({ databaseUrl, dataDir }: Config): Promise<string | undefined> {
  return databaseUrl ?? (await runningEmbedded(dataDir));
}

async function silentTelemetry(): Promise<Telemetry> {
  const { createTelemetry } = await import("../platform/telemetry/telemetry.ts");
  return createTelemetry("silent");
}
