import { resolve } from "node:path";
import { createService } from "./app.ts";
import type { Config } from "./config.ts";
import { migrate, runningEmbedded, startEmbedded } from "./db/db.ts";
import { VERSION } from "./kernel/kernel.ts";
import { keptMasterKey } from "./setup/setup.ts";
import type { Author, Command, Machine, Outcome, Place } from "./setup/setup.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";

export const MIGRATIONS = new URL("db/migrations/", import.meta.url);

export interface Environment {
  readonly readConfig: () => Config;
  readonly readAuthor: () => Author;
}

type OnDatabase = Extract<Command, { readonly on: "installation" | "database" }>;

/**
 * Runs a command: on files, or on a machine, as it is; on the external database, on the embedded one of a service that runs now, or on that
 * started for it.
 */
export async function runCommand(command: Command, { readConfig, readAuthor }: Environment): Promise<Outcome> {
  if (command.on === "files") return await command.run(readAuthor());
  if (command.on === "machine") return await command.run(machine(readConfig));
  const config = readConfig();
  const there = await runningDatabase(config);
  if (there !== undefined) return await runOn(there, command, config);
  const embedded = await startEmbedded({ dataDir: resolve(config.dataDir), log: createTelemetry("silent").log });
  try {
    return await runOn(embedded.url, command, config);
  } finally {
    await embedded.stop();
  }
}

async function runOn(databaseUrl: string, command: OnDatabase, config: Config): Promise<Outcome> {
  const place = placeOf(databaseUrl, config);
  if (command.on === "database") return await command.run(place);
  await migrate(databaseUrl, MIGRATIONS);
  const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
  return await place.within(masterKey, async (site) => await command.run(site, place));
}

function placeOf(databaseUrl: string, config: Config): Place {
  return {
    databaseUrl,
    dataDir: resolve(config.dataDir),
    baseUrl: config.baseUrl,
    masterKey: config.masterKey,
    previousMasterKeys: config.previousMasterKeys,
    migrations: MIGRATIONS,
    async within(masterKey, work) {
      const version = { version: VERSION, node: process.version, git_sha: null };
      const telemetry = createTelemetry("silent");
      const service = await createService({ config, databaseUrl, masterKey, version, telemetry });
      try {
        return await work(service);
      } finally {
        await service.stop();
      }
    },
  };
}

function machine(readConfig: () => Config): Machine {
  return {
    settings() {
      const { host, port, baseUrl, dataDir, databaseUrl, masterKey, dnsServers } = readConfig();
      return { host, port, baseUrl, dataDir, masterKey, dnsServers, isExternal: databaseUrl !== null };
    },
    runningDatabase: async () => await runningDatabase(readConfig()),
    placeOn: (databaseUrl) => placeOf(databaseUrl, readConfig()),
  };
}

async function runningDatabase({ databaseUrl, dataDir }: Config): Promise<string | undefined> {
  return databaseUrl ?? (await runningEmbedded(dataDir));
}
