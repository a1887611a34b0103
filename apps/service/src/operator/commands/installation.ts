import { resolve } from "node:path";
import { readLastBackup } from "../backup/backup.ts";
import type { LastBackup } from "../backup/backup.ts";
import { databaseHome } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Scope, Workspaces } from "../../accounts/accounts.ts";
import { backupCommand } from "./backup-command.ts";

/** The places where one node stores its data. All paths are absolute. */
export interface Storage {
  readonly database: "embedded" | "external";
  readonly data_folder: string;
  /** The folder of the embedded database: the data folder itself, or another one. Null for an external database. */
  readonly database_folder: string | null;
  /** A command for a shell of this machine. */
  readonly backup_command: string;
}

/** The facts about the installation that the owners and admins of a workspace may see. */
export interface InstallationView {
  readonly object: "installation";
  readonly base_url: string;
  readonly version: string;
  /** Null in all workspaces except the operator's, because the others may belong to customers. */
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
    backup_command: backupCommand({ dataDir: folder, isExternal }),
  };
}
