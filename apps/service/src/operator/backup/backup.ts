import { readdir, readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fingerprintOf, toRfc3339, VERSION } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { createArchive } from "./archive.ts";
import type { ArchiveWriter, Member } from "./archive.ts";
import { chunksOf, compress } from "./chunks.ts";
import { BackupError } from "./fault.ts";
import {
  CONNECTOR_FILES,
  connectorFileHash,
  FORMAT_VERSION,
  MANIFEST,
  MANIFEST_SHA256,
  MASTER_KEY,
} from "./manifest.ts";
import type { Manifest, TableEntry } from "./manifest.ts";
import type { TellProgress } from "./progress.ts";
import { recordBackup } from "./record.store.ts";
import { openSnapshot } from "./snapshot.store.ts";
import type { Snapshot, TableShape } from "./snapshot.store.ts";

export { BackupError } from "./fault.ts";
export type { TellProgress } from "./progress.ts";
export { readLastBackup } from "./record.store.ts";
export type { LastBackup } from "./record.store.ts";
export { restoreBackup } from "./restore.ts";
export type { Restored, RestoreDeps } from "./restore.ts";

export interface BackupDeps {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly masterKey: Uint8Array;
  /** Puts the master key into the backup. The file is then enough to decrypt every secret. */
  readonly includesMasterKey: boolean;
  readonly tell: TellProgress;
  readonly clock?: Clock;
}

export interface BackupMade {
  readonly object: "backup";
  readonly file: string;
  readonly bytes: number;
  readonly created_at: string;
  readonly rows: number;
  readonly tables: number;
  readonly connector_files: number;
  readonly schema: string;
  readonly master_key_included: boolean;
  /** True if the database recorded the backup. The console, `doctor` and the metrics show the latest one. */
  readonly recorded: boolean;
}

/**
 * Writes an installation, as it is at one moment, to one file: every table, the connectors' files, and the digests to
 * verify them. The service keeps running. Throws BackupError, and then leaves no file of this name.
 */
export async function writeBackup(deps: BackupDeps, out: string): Promise<BackupMade> {
  const file = resolve(out);
  if (existsSync(file)) throw new BackupError(`${file} already exists. Set --out to another name.`);
  const written = await write(deps, file);
  // The snapshot's transaction is read-only, so this comes after it. A backup does not contain its own record.
  const recorded = await recordBackup(deps.databaseUrl, { created_at: written.created_at, file_name: basename(file) });
  return { ...written, recorded };
}

async function write(deps: BackupDeps, file: string): Promise<Omit<BackupMade, "recorded">> {
  const snapshot = await openSnapshot(deps.databaseUrl, deps.clock);
  try {
    const archive = await createArchive(file);
    try {
      const manifest = await fill(deps, snapshot, archive);
      return summaryOf(file, manifest, await archive.finish());
    } finally {
      await archive.abandon();
    }
  } finally {
    await snapshot.close();
  }
}

async function fill(deps: BackupDeps, snapshot: Snapshot, archive: ArchiveWriter): Promise<Manifest> {
  const members: Member[] = [];
  const tables = await writeTables(deps, snapshot, { archive, members });
  // The files of all rows are in the folder, because files are stored before rows and never removed.
  for (const path of await connectorFiles(deps.dataDir))
    members.push(await archive.add(path, await readFile(join(deps.dataDir, path))));
  if (deps.includesMasterKey)
    members.push(await archive.add(MASTER_KEY, Buffer.from(`${Buffer.from(deps.masterKey).toString("base64")}\n`)));
  const manifest: Manifest = {
    format: "junction-backup",
    format_version: FORMAT_VERSION,
    created_at: toRfc3339(snapshot.takenAt),
    junction_version: VERSION,
    postgres_version: snapshot.serverVersion,
    migrations: snapshot.migrations,
    tables,
    partitions: snapshot.partitions,
    master_key: { fingerprint: fingerprintOf(deps.masterKey), included: deps.includesMasterKey },
    members,
  };
  const { sha256 } = await archive.add(MANIFEST, Buffer.from(JSON.stringify(manifest)));
  await archive.add(MANIFEST_SHA256, Buffer.from(`${sha256}  ${MANIFEST}\n`));
  return manifest;
}

interface Filling {
  readonly archive: ArchiveWriter;
  readonly members: Member[];
}

async function writeTables({ tell }: BackupDeps, snapshot: Snapshot, filling: Filling): Promise<TableEntry[]> {
  const entries: TableEntry[] = [];
  const total = snapshot.tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const table of snapshot.tables) {
    const paths: string[] = [];
    let rows = 0;
    for await (const chunk of chunksOf(snapshot.rows(table))) {
      const path = `data/${table.name}/${String(paths.length + 1).padStart(6, "0")}.copy.zst`;
      filling.members.push(await filling.archive.add(path, await compress(chunk.text)));
      paths.push(path);
      rows += chunk.rows;
      tell({ label: table.name, done: done + rows, total });
    }
    done += rows;
    entries.push(entryOf(table, rows, paths));
  }
  tell({ label: "rows", done, total: done });
  return entries;
}

function entryOf({ name, columns }: TableShape, rows: number, members: readonly string[]): TableEntry {
  return { name, columns, rows, members };
}

/** Returns paths relative to the data folder. Skips drafts of files, which have longer names. */
async function connectorFiles(dataDir: string): Promise<string[]> {
  const root = join(dataDir, CONNECTOR_FILES);
  if (!existsSync(root)) return [];
  const names = await readdir(root, { recursive: true });
  return names
    .map((name) => `${CONNECTOR_FILES}/${name.replaceAll("\\", "/")}`)
    .filter((path) => connectorFileHash(path) !== undefined)
    .toSorted();
}

function summaryOf(file: string, manifest: Manifest, bytes: number): Omit<BackupMade, "recorded"> {
  const { created_at, tables, members, migrations, master_key: key } = manifest;
  return {
    object: "backup",
    file,
    bytes,
    created_at,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    tables: tables.length,
    connector_files: members.filter(({ path }) => path.startsWith(CONNECTOR_FILES)).length,
    schema: migrations.at(-1)?.name ?? "",
    master_key_included: key.included,
  };
}
