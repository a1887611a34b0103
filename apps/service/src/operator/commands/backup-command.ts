import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../../../..");

export interface BackupCommandOptions {
  /** Absolute. */
  readonly dataDir: string;
  /** The command then needs the settings of the service, which hold a password: they are not shown. */
  readonly isExternal: boolean;
  /** The folder of this program. */
  readonly root?: string;
}

/** Returns the line for a shell that makes a backup of this installation. */
export function backupCommand({ dataDir, isExternal, root = ROOT }: BackupCommandOptions): string {
  // A clone has the program that npm installed; an unpacked archive has its own.
  const program = existsSync(join(root, "junction")) ? "./junction" : "node_modules/.bin/junction";
  const setting = isExternal || dataDir === join(root, "data") ? "" : `JUNCTION_DATA_DIR=${quoted(dataDir)} `;
  // In a container and under systemd the service can write into its data folder alone.
  const out = isWritable(root) ? "" : ` --out ${quoted(dataDir)}/junction-$(date +%F).tar`;
  return `cd ${quoted(root)} && ${setting}${program} backup${out}`;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** One word for a shell, whichever characters the path has. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
