import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readLastBackup } from "../backup/backup.ts";
import type { LastBackup } from "../backup/backup.ts";
import { databaseHome } from "../db/db.ts";
import type { Db } from "../db/db.ts";
import type { Scope, Workspaces } from "../workspaces/workspaces.ts";

/** Where one node keeps its data. All paths are absolute. */
export interface Storage {
  readonly database: "embedded" | "external";
  readonly data_folder: string;
  /** Where the embedded database lies: the data folder itself, or another one. Null for an external database. */
  readonly database_folder: string | null;
  /** A line for a shell of this machine. */
  readonly backup_command: string;
}

/** What the owners and admins of a workspace may learn of the installation that it is in. */
export interface InstallationView {
  readonly object: "installation";
  readonly base_url: string;
  readonly version: string;
  /** Null in every workspace but the operator's: the others may be customers'. */
  readonly operator: (Storage & { readonly last_backup: LastBackup | null }) | null;
}

export interface Installation {
  viewFor(scope: Scope): Promise<InstallationView>;
}

export interface InstallationDeps {
  readonly db: Db;
  readonly workspaces: Workspaces;
  readonly version: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}

export function createInstallation(deps: InstallationDeps): Installation {
  const storage = storageOf(deps);
  return {
    async viewFor({ workspaceId }) {
      const isOperators = await deps.workspaces.isOperators(workspaceId);
      return {
        object: "installation",
        base_url: deps.baseUrl,
        version: deps.version,
        operator: isOperators ? { ...storage, last_backup: await readLastBackup(deps.db.query) } : null,
      };
    },
  };
}

function storageOf({ dataDir, databaseUrl }: Pick<InstallationDeps, "dataDir" | "databaseUrl">): Storage {
  const folder = resolve(dataDir);
  const place = databaseHome(folder) ?? { dataDir: folder, home: folder };
  const isExternal = databaseUrl !== null;
  return {
    database: isExternal ? "external" : "embedded",
    data_folder: place.dataDir,
    database_folder: isExternal ? null : place.home,
    backup_command: backupCommand(folder, isExternal),
  };
}

const ROOT = resolve(import.meta.dirname, "../../../..");

/** With an external database, the command needs the settings of the service, which hold a password: they are not shown. */
function backupCommand(dataDir: string, isExternal: boolean): string {
  // A clone has the program that npm installed; an unpacked archive has its own.
  const program = existsSync(join(ROOT, "junction")) ? "./junction" : "node_modules/.bin/junction";
  const isDefault = dataDir === join(ROOT, "data");
  const setting = isExternal || isDefault ? "" : `JUNCTION_DATA_DIR=${quoted(dataDir)} `;
  return `cd ${quoted(ROOT)} && ${setting}${program} backup`;
}

/** One word for a shell, whatever the path holds. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
