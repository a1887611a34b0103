import { isRecord, resultOf, sha256 } from "../../lib/lib.ts";
import type { Migration } from "../../platform/db/db.ts";
import { readArchive } from "./archive.ts";
import { BackupError } from "./fault.ts";
import { connectorFileHash, FORMAT_VERSION, MANIFEST, MANIFEST_SHA256, MASTER_KEY } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import type { TellProgress } from "./progress.ts";

/**
 * Reads a whole backup and returns its manifest. Throws BackupError if it is incomplete, changed or of an unknown
 * format.
 */
export async function inspect(file: string, tell: TellProgress): Promise<Manifest> {
  const found: ManifestMember[] = [];
  let text: Buffer | undefined;
  let digest: Buffer | undefined;
  let bytes = 0;
  for await (const { path, content } of readArchive(file)) {
    // A digest counts only for the manifest before it.
    if (path === MANIFEST) [text, digest] = [content, undefined];
    else if (path === MANIFEST_SHA256) digest = content;
    else found.push({ path, bytes: content.length, sha256: hashOf(content) });
    bytes += content.length;
    tell({ label: "checking", done: bytes, total: 0 });
  }
  if (text === undefined) throw new BackupError(`${file} is incomplete: it has no manifest, which is written last.`);
  requireDigest(file, text, digest);
  const manifest = manifestIn(file, text);
  requireMembers(file, manifest, found);
  requireOwnPaths(file, manifest);
  return manifest;
}

/**
 * Refuses files other than rows, the master key and connectors' files named by their content, because the archive is
 * untrusted.
 */
function requireOwnPaths(file: string, { members, tables }: Manifest): void {
  const rows = new Set(tables.flatMap((table) => table.members));
  const strange = members.find(
    ({ path, sha256: hash }) => !rows.has(path) && path !== MASTER_KEY && connectorFileHash(path) !== hash,
  );
  if (strange !== undefined)
    throw new BackupError(`${file} was changed: ${JSON.stringify(strange.path)} is not a file of a backup.`);
}

type ManifestMember = Manifest["members"][number];

function hashOf(content: Buffer): string {
  return sha256(content).toString("hex");
}

function requireDigest(file: string, manifest: Buffer, digest: Buffer | undefined): void {
  if (digest === undefined)
    throw new BackupError(`${file} was changed: the SHA-256 digest of its manifest is missing.`);
  if (digest.toString("ascii").split(" ")[0] !== hashOf(manifest))
    throw new BackupError(`${file} was changed: the SHA-256 digest of its manifest does not match.`);
}

function manifestIn(file: string, text: Buffer): Manifest {
  const manifest = resultOf<unknown>(() => JSON.parse(text.toString("utf8")));
  if (!isRecord(manifest) || manifest["format"] !== "junction-backup") throw foreign(file);
  const { format_version: version, junction_version: maker } = manifest;
  if (typeof version !== "number") throw foreign(file);
  if (version > FORMAT_VERSION)
    throw new BackupError(
      `${file} was created by a newer version of Junction (${String(maker)}). Restore it with that version or a later one.`,
    );
  if (!hasParts(manifest)) throw foreign(file);
  return manifest;
}

/** Returns true if the manifest has the parts that a restore reads. Their content is compared with the archive. */
function hasParts(manifest: object): manifest is Manifest {
  const parts = manifest as Partial<Manifest>;
  return (
    [parts.migrations, parts.tables, parts.partitions, parts.members].every(Array.isArray) && isRecord(parts.master_key)
  );
}

function foreign(file: string): BackupError {
  return new BackupError(`${file} is not a Junction backup.`);
}

function requireMembers(file: string, { members }: Manifest, found: readonly ManifestMember[]): void {
  const wrong = members.find((member, at) => {
    const other = found[at];
    return other?.path !== member.path || other.sha256 !== member.sha256 || other.bytes !== member.bytes;
  });
  if (wrong !== undefined)
    throw new BackupError(`${file} was changed or damaged: the digest of ${wrong.path} does not match.`);
  if (found.length !== members.length)
    throw new BackupError(`${file} was changed: it contains files that its manifest does not list.`);
}

/** Throws BackupError unless this version's migrations begin with the backup's. */
export function requireKnown({ migrations, junction_version: version }: Manifest, known: readonly Migration[]): void {
  for (const [at, { name, checksum }] of migrations.entries()) {
    const ours = known[at];
    if (ours === undefined || !known.some((one) => one.name === name))
      throw new BackupError(
        `The backup has the schema of a newer version of Junction (${version}, ${name}). Restore it with that version or a later one.`,
      );
    if (ours.name !== name || ours.checksum !== checksum)
      throw new BackupError(
        `The backup's migration ${name} differs from this version's, because an unreleased version (${version}) made the backup. Restore it with the commit that made it.`,
      );
  }
}
