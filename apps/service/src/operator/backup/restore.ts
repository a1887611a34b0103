import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { migrate, readMigrations } from "../../platform/db/db.ts";
import { fingerprintOf, MASTER_KEY_BYTES, sha256, systemClock } from "../../lib/lib.ts";
import { readArchive } from "./archive.ts";
import type { ReadMember } from "./archive.ts";
import { decompress } from "./chunks.ts";
import { BackupError } from "./fault.ts";
import { inspect, requireKnown } from "./inspect.ts";
import { openTarget } from "./load.store.ts";
import type { Loader, Target } from "./load.store.ts";
import { CONNECTOR_FILES, MASTER_KEY } from "./manifest.ts";
import type { Manifest, TableEntry } from "./manifest.ts";
import type { TellProgress } from "./progress.ts";

export interface RestoreDeps {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The key of the environment. Null for that of the data folder. */
  readonly masterKey: Uint8Array | null;
  readonly migrations: URL;
  /** If true, existing data in the database is deleted. */
  readonly force: boolean;
  readonly tell: TellProgress;
  /** Checks the restored data before the restore counts as complete. */
  check(masterKey: Uint8Array): Promise<void>;
}

export interface Restored {
  readonly object: "restore";
  readonly file: string;
  readonly created_at: string;
  readonly rows: number;
  readonly tables: number;
  readonly connector_files: number;
  /** Migrations of this version that the backup did not have. */
  readonly migrated: readonly string[];
}

/**
 * Restores a backup into an empty database. The whole file is read first, so that a damaged one changes nothing. From
 * the first change until everything is restored and checked, the database is marked as unfinished, and the service does
 * not start on it. Throws BackupError.
 */
export async function restoreBackup(deps: RestoreDeps, from: string): Promise<Restored> {
  const file = resolve(from);
  const manifest = await inspect(file, deps.tell);
  requireKnown(manifest, await readMigrations(deps.migrations));
  const key = await keyFor(deps, file, manifest);
  const target = await openTarget(deps.databaseUrl);
  try {
    assertRestorable(await target.content(), deps.force);
    await target.begin(file);
    await target.clear();
    const only = manifest.migrations.map(({ name }) => name);
    await migrate(deps.databaseUrl, deps.migrations, { restoring: { only } });
    await fill(deps, target, { file, manifest });
    await key.keep();
    const migrated = await migrate(deps.databaseUrl, deps.migrations, { restoring: {} });
    deps.tell({ label: "audit", done: 0, total: 0 });
    await deps.check(key.bytes);
    await target.complete();
    return summaryOf(file, manifest, migrated);
  } finally {
    await target.close();
  }
}

function assertRestorable(content: Awaited<ReturnType<Target["content"]>>, force: boolean): void {
  if (content === "other")
    throw new BackupError(
      "This database contains tables that do not belong to Junction. Use a separate database for Junction.",
    );
  if (content === "distributed")
    throw new BackupError(
      "The tables of this database are distributed over several machines. Restore into a new database, and then run `junction distribute`.",
    );
  if (content === "used" && !force)
    throw new BackupError(
      "This database already contains a workspace. Restore into an empty database, or use --force to delete the existing data.",
    );
}

interface Source {
  readonly file: string;
  readonly manifest: Manifest;
}

async function fill(deps: RestoreDeps, target: Target, { file, manifest }: Source): Promise<void> {
  const members = new Map(manifest.members.map(({ path, sha256: hash }) => [path, hash]));
  const total = rowsOf(manifest);
  let done = 0;
  await target.load(manifest.partitions, async (loader) => {
    const source = readArchive(file);
    const next = async (): Promise<ReadMember> => await verified(source, members, file);
    for (const table of manifest.tables) {
      await fillTable(loader, table, next);
      done += table.rows;
      deps.tell({ label: table.name, done, total });
    }
    await source.return(undefined);
  });
  for await (const { path, content } of readArchive(file))
    if (path.startsWith(`${CONNECTOR_FILES}/`)) await keepFile(join(deps.dataDir, path), content);
}

/** Returns the next file of the archive. Throws if its content changed since the archive was inspected. */
async function verified(
  source: AsyncGenerator<ReadMember>,
  members: ReadonlyMap<string, string>,
  file: string,
): Promise<ReadMember> {
  const { value, done } = await source.next();
  if (done === true || members.get(value.path) !== sha256(value.content).toString("hex"))
    throw new BackupError(`${file} was changed while it was restored.`);
  return value;
}

async function fillTable(loader: Loader, table: TableEntry, next: () => Promise<ReadMember>): Promise<void> {
  async function* texts(): AsyncGenerator<Buffer> {
    for (const path of table.members) {
      const member = await next();
      if (member.path !== path) throw new BackupError(`the rows of ${table.name} are in the wrong place`);
      yield await decompress(member.content);
    }
  }
  const rows = await loader.rows(table, texts());
  if (rows !== table.rows)
    throw new BackupError(`${table.name} has ${rows} rows after the restore, but had ${table.rows} in the backup.`);
}

interface Key {
  readonly bytes: Uint8Array;
  /** Writes the key to the data folder if it comes from the backup. */
  keep(): Promise<void>;
}

/**
 * Returns the master key of the backup's secrets: that of the environment, of the data folder, or the one in the
 * backup.
 */
async function keyFor(deps: RestoreDeps, file: string, { master_key: wanted }: Manifest): Promise<Key> {
  const path = join(deps.dataDir, MASTER_KEY);
  const own = deps.masterKey ?? (await keyIn(path));
  if (own !== undefined && fingerprintOf(own) === wanted.fingerprint)
    return { bytes: own, keep: async () => await Promise.resolve() };
  if (!wanted.included || deps.masterKey !== null) throw new BackupError(lostKey(own !== undefined, path));
  for await (const { path: name, content } of readArchive(file))
    if (name === MASTER_KEY)
      return { bytes: includedKey(file, content, wanted), keep: async () => await replace(path, content) };
  throw new BackupError(`${file} was changed while it was restored.`);
}

/** Returns the key in a backup. Throws unless it is a key, and the one that encrypts the backup's secrets. */
function includedKey(file: string, content: Buffer, { fingerprint }: Manifest["master_key"]): Buffer {
  const key = keyOf(content.toString("ascii"));
  if (key.length !== MASTER_KEY_BYTES || fingerprintOf(key) !== fingerprint)
    throw new BackupError(`${file} was changed: its master key is not the one that encrypts its secrets.`);
  return key;
}

function lostKey(hasOther: boolean, path: string): string {
  return hasOther
    ? `The backup's secrets are encrypted with a different master key. Put that key into JUNCTION_MASTER_KEY or ${path}.`
    : `The backup does not contain the master key that encrypts its secrets. Put that key into JUNCTION_MASTER_KEY or ${path}.`;
}

async function keyIn(path: string): Promise<Buffer | undefined> {
  return existsSync(path) ? keyOf(await readFile(path, "utf8")) : undefined;
}

function keyOf(text: string): Buffer {
  return Buffer.from(text.trim(), "base64");
}

/** Replaces the key and keeps the previous one in another file, because data elsewhere may be encrypted with it. */
async function replace(path: string, content: Buffer): Promise<void> {
  if (existsSync(path)) await rename(path, `${path}.before-${Math.floor(systemClock.now() / 1000)}`);
  await keepFile(path, content);
}

async function keepFile(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.restored`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", path.endsWith(MASTER_KEY) ? 0o600 : 0o400);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function rowsOf({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function summaryOf(file: string, manifest: Manifest, migrated: readonly string[]): Restored {
  return {
    object: "restore",
    file,
    created_at: manifest.created_at,
    rows: rowsOf(manifest),
    tables: manifest.tables.length,
    connector_files: manifest.members.filter(({ path }) => path.startsWith(CONNECTOR_FILES)).length,
    migrated,
  };
}
