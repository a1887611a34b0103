import type { Member } from "./archive.ts";

export interface TableEntry {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The paths of the table's rows in the archive, in their order. */
  readonly members: readonly string[];
}

/** A partition of a table, with its lower and upper bound. */
export interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly from: string;
  readonly to: string;
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The content of a backup. It is written last, so that a file without a manifest is incomplete. */
export interface Manifest {
  readonly format: "junction-backup";
  readonly format_version: number;
  /** The time of the backed-up data, in RFC 3339. */
  readonly created_at: string;
  readonly junction_version: string;
  readonly postgres_version: string;
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly TableEntry[];
  readonly partitions: readonly Partition[];
  readonly master_key: {
    /** Identifies the key without revealing anything about it. */
    readonly fingerprint: string;
    readonly included: boolean;
  };
  readonly members: readonly Member[];
}

export const FORMAT_VERSION = 1;
export const MANIFEST = "manifest.json";
export const MANIFEST_SHA256 = "manifest.json.sha256";
export const MASTER_KEY = "master.key";
/** The folder of connectors' files in the data folder and in the archive. */
export const CONNECTOR_FILES = "connectors/sha256";

/** Returns the SHA-256, in hex, in the name of a connector's file, or undefined for any other path. */
export function connectorFileHash(path: string): string | undefined {
  const [, folder, hash] = /^connectors\/sha256\/([0-9a-f]{2})\/([0-9a-f]{64})$/.exec(path) ?? [];
  return folder !== undefined && hash?.startsWith(folder) === true ? hash : undefined;
}
