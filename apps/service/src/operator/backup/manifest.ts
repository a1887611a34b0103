import type { Member } from "./archive.ts";

export interface TableEntry {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Paths of its rows in the archive, in their order. */
  readonly members: readonly string[];
}

/** A part of a partitioned table, from a bound up to another. */
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

/** What is in a backup. It is written last, so that a file without it is none. */
export interface Manifest {
  readonly format: "junction-backup";
  readonly format_version: number;
  /** RFC 3339: the moment whose data it holds. */
  readonly created_at: string;
  readonly junction_version: string;
  readonly postgres_version: string;
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly TableEntry[];
  readonly partitions: readonly Partition[];
  readonly master_key: {
    /** Tells a key from others, and nothing of it. */
    readonly fingerprint: string;
    readonly included: boolean;
  };
  readonly members: readonly Member[];
}

export const FORMAT_VERSION = 1;
export const MANIFEST = "manifest.json";
export const MANIFEST_SHA256 = "manifest.json.sha256";
export const MASTER_KEY = "master.key";
/** Where the data folder keeps connectors' files, and the archive too. */
export const CONNECTOR_FILES = "connectors/sha256";

/** The SHA-256, in hex, that a connector's file is named by; undefined for any other path. */
export function connectorFileHash(path: string): string | undefined {
  const [, folder, hash] = /^connectors\/sha256\/([0-9a-f]{2})\/([0-9a-f]{64})$/.exec(path) ?? [];
  return folder !== undefined && hash?.startsWith(folder) === true ? hash : undefined;
}
