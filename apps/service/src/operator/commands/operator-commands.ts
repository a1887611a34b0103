import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import { BackupError, restoreBackup, writeBackup } from "../backup/backup.ts";
import type { TellProgress } from "../backup/backup.ts";
import { migrate } from "../../platform/db/db.ts";
import { systemClock, toRfc3339 } from "../../lib/lib.ts";
import { scopesOfAll } from "../../accounts/accounts.ts";
import { outcomeOf } from "./command.ts";
import type { Command, DatabaseLocation, InstallationServices } from "./command.ts";
import { distributeCommand } from "./distribute-command.ts";
import { masterKeyIn } from "./master-key.ts";
import { rotated } from "./rotate-command.ts";
import { optionalText } from "./usage.ts";
import type { ReadCommand, TypedArguments } from "./usage.ts";

export const backup: ReadCommand = backupCommand;
export const restore: ReadCommand = restoreCommand;
export const migration: ReadCommand = () => ({
  on: "database",
  run: async (place) => outcomeOf(await migrated(place)),
});
export const setupLink: ReadCommand = () => ({
  on: "installation",
  run: async (site, place) => outcomeOf(await newSetupLink(site, place)),
});
export const masterKeyRotate: ReadCommand = () => ({
  on: "installation",
  run: async (site, place) => await rotated(site, place, tell),
});
export const distribution: ReadCommand = (given) => distributeCommand(given, tell);

async function migrated({ databaseUrl, migrations }: DatabaseLocation): Promise<object> {
  return { object: "migration", applied: await migrate(databaseUrl, migrations) };
}

const CLAIMED =
  "The first workspace has an owner or was deleted. To let a person set a new password, use `member reset-link`.";
const NOT_STARTED = "There is no workspace yet. Start the service once.";

async function newSetupLink({ workspaces }: InstallationServices, { baseUrl }: DatabaseLocation): Promise<object> {
  const token = await workspaces.newSetupToken();
  if (token === undefined) throw new CommandError((await workspaces.hasOwner()) ? CLAIMED : NOT_STARTED);
  return { object: "setup_link", url: `${baseUrl}/setup?token=${token}`, token };
}

function backupCommand(given: TypedArguments): Command {
  const out = optionalText(given, "out");
  const includesMasterKey = given.has("include-master-key");
  return {
    on: "database",
    run: async ({ databaseUrl, dataDir, masterKey }) => {
      const name = `junction-${toRfc3339(systemClock.now()).replaceAll(/[:.]/g, "-")}.tar`;
      const deps = { databaseUrl, dataDir, includesMasterKey, tell };
      return outcomeOf(
        await explained(async () => {
          const key = masterKey ?? (await masterKeyIn(dataDir));
          if (key === undefined)
            throw new BackupError(
              `There is no master key in ${dataDir}. Set JUNCTION_DATA_DIR to the service's data folder.`,
            );
          return await writeBackup({ ...deps, masterKey: key }, out ?? name);
        }),
      );
    },
  };
}

function restoreCommand(given: TypedArguments, file: string): Command {
  const force = given.has("force");
  return {
    on: "database",
    createsDatabase: true,
    run: async (place) => {
      let chains: readonly ChainState[] = [];
      const check = async (key: Uint8Array): Promise<void> => {
        chains = await place.within(key, verifyChains);
      };
      const restored = await explained(async () => await restoreBackup({ ...place, force, tell, check }, file));
      return outcomeOf({ ...restored, audit: chains }, chains.every(({ ok }) => ok) ? 0 : 1);
    },
  };
}

interface ChainState {
  readonly workspace_id: string;
  readonly environment: string;
  readonly ok: boolean;
  readonly checked: number;
  readonly first_bad_seq: number | null;
}

/** Verifies the audit logs. A broken chain was already broken in the backup, so it is only reported. */
async function verifyChains({ db, audit }: InstallationServices): Promise<ChainState[]> {
  const chains: ChainState[] = [];
  for (const { scope, workspaceId } of await scopesOfAll(db.query)) {
    const { ok, checked, first_bad_seq } = await audit.log.verify(scope, {});
    chains.push({ workspace_id: workspaceId, environment: scope.environment, ok, checked, first_bad_seq });
  }
  return chains;
}

const TELL_MS = 100;
let toldAtMs = Number.NEGATIVE_INFINITY;

/** Sends the progress to the command line if it started this process. */
const tell: TellProgress = (progress) => {
  const now = systemClock.monotonicMs();
  if (process.send === undefined || now - toldAtMs < TELL_MS) return;
  toldAtMs = now;
  process.send({ progress });
};

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(error.message, undefined, error);
    throw error;
  }
}
