import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../../../..");

export interface BackupCommandOptions {
  /** The data folder, as an absolute path. */
  readonly dataDir: string;
  /** If true, the command needs the settings of the service. They contain a password and are not shown. */
  readonly isExternal: boolean;
  /** The folder of this program. */
  readonly root?: string;
}

/** Returns the line for a shell that makes a backup of this installation. */
export function backupCommand({ dataDir, isExternal, root = ROOT }: BackupCommandOptions): string {
  // A clone has the program that npm installed; an unpacked archive has its own.
  const program = existsSync(join(root, "junction")) ? "./junction" : "node_modules/.bin/junction";
  const setting = isExternal || dataDir === join(root, "data") ? "" : `JUNCTION_DATA_DIR=${quoted(dataDir)} `;
  // In a container and under systemd, the service can write only to its data folder.
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

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
