import { BackupError, restoreBackup, writeBackup } from "../backup/backup.ts";
import type { TellProgress } from "../backup/backup.ts";
import { migrate } from "../../platform/db/db.ts";
import { systemClock, toRfc3339 } from "../../lib/lib.ts";
import { scopesOfAll } from "../../accounts/workspaces/workspaces.ts";
import { outcomeOf } from "./command.ts";
import type { Command, Place, Site } from "./command.ts";
import { doctorCommand } from "./doctor.ts";
import { masterKeyIn } from "./master-key.ts";
import { rotated } from "./rotate-command.ts";
import { CommandError, NAME_FORM, textOption, UsageError } from "../../setup/usage.ts";
import type { Values } from "../../setup/usage.ts";

/** The commands that keep an installation; undefined for what is none of them. */
export function operatorCommand(words: readonly string[], values: Values): Command | undefined {
  const [verb = "", ...rest] = words;
  if (verb === "restore") return restoreCommand(rest, values);
  const make = COMMANDS[words.join(" ")];
  return make?.(values);
}

const COMMANDS: Readonly<Record<string, (values: Values) => Command>> = {
  migrate: () => ({ on: "database", run: async (place) => outcomeOf(await migrated(place)) }),
  backup: backupCommand,
  doctor: doctorCommand,
  "master-key rotate": () => ({ on: "installation", run: async (site, place) => await rotated(site, place, tell) }),
  "setup link": () => ({ on: "installation", run: async (site, place) => outcomeOf(await setupLink(site, place)) }),
  "workspace sandbox-key": (values) => {
    const name = values.name === undefined ? "Operator's sandbox key" : textOption(values, "name", NAME_FORM);
    return { on: "installation", run: async ({ workspaces }) => outcomeOf(await sandboxKey(workspaces, name)) };
  },
};

async function migrated({ databaseUrl, migrations }: Place): Promise<object> {
  return { object: "migration", applied: await migrate(databaseUrl, migrations) };
}

async function setupLink({ workspaces }: Site, { baseUrl }: Place): Promise<object> {
  const token = await workspaces.newSetupToken();
  if (token === undefined)
    throw new CommandError("Every workspace has its owner. `member reset-link` lets one choose a new password.");
  return { object: "setup_link", url: `${baseUrl}/setup?token=${token}`, token };
}

async function sandboxKey(workspaces: Site["workspaces"], name: string): Promise<object> {
  const made = await workspaces.operatorsSandboxKey(name);
  if (made === undefined) throw new CommandError("There is no workspace yet: start the service once.");
  return made;
}

function backupCommand(values: Values): Command {
  const out = values.out === undefined ? undefined : textOption(values, "out");
  const includesMasterKey = values["include-master-key"] === true;
  return {
    on: "database",
    run: async ({ databaseUrl, dataDir, masterKey }) => {
      const name = `junction-${toRfc3339(systemClock.now()).replaceAll(/[:.]/g, "-")}.tar`;
      const deps = { databaseUrl, dataDir, includesMasterKey, tell };
      return outcomeOf(
        await explained(async () => {
          const key = masterKey ?? (await masterKeyIn(dataDir));
          if (key === undefined) throw new BackupError(`There is no master key in ${dataDir}: set JUNCTION_DATA_DIR.`);
          return await writeBackup({ ...deps, masterKey: key }, out ?? name);
        }),
      );
    },
  };
}

function restoreCommand(files: readonly string[], values: Values): Command {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) throw new UsageError("restore takes one file.");
  const force = values.force === true;
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

/** A chain that is broken was so when it was backed up: that is told, and what was restored stays. */
async function verifyChains({ db, audit }: Site): Promise<ChainState[]> {
  const chains: ChainState[] = [];
  for (const { scope, workspaceId } of await scopesOfAll(db.query)) {
    const { ok, checked, first_bad_seq } = await audit.log.verify(scope, {});
    chains.push({ workspace_id: workspaceId, environment: scope.environment, ok, checked, first_bad_seq });
  }
  return chains;
}

const TELL_MS = 100;
let toldAtMs = Number.NEGATIVE_INFINITY;

/** To whoever started this process and listens: the command line, which draws it. */
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
    if (error instanceof BackupError) throw new CommandError(error.message, error);
    throw error;
  }
}
