import { createHash } from "node:crypto";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import type { Manifest } from "./everything.ts";
import { digestIn, FILE_NAME, linesOf, MANIFEST, readWhole } from "./folder.ts";

/** A fault of an export, with its file. */
interface ExportFault {
  readonly file: string;
  readonly fault: string;
}

export interface ExportReport {
  readonly object: "export_verification";
  readonly ok: boolean;
  readonly files: number;
  readonly records: number;
  /** The entries of the audit log whose chain was checked; null if it is not in the export. */
  readonly audit_rows: number | null;
  readonly faults: readonly ExportFault[];
}

type Line = Readonly<Record<string, unknown>>;

/** Compares the files of an export with its manifest, and checks the chain of the audit log. Reads nothing but the folder. */
export async function verifyExport(folder: string): Promise<ExportReport> {
  const { files } = manifestIn(await readWhole(folder, MANIFEST), folder);
  const faults: ExportFault[] = [];
  const chain = createChain(await digestsIn(folder, files, faults));
  let records = 0;
  // The chain is read backwards: the newest month, and in it the newest entry, come first.
  for (const file of files.toSorted(({ name: a }, { name: b }) => (a < b ? 1 : -1))) {
    const { name } = file;
    const found = await countIn(folder, name, (line) => {
      const fault = isAudit(name) ? chain.check(line) : undefined;
      if (fault !== undefined) faults.push({ file: name, fault });
    }).catch((error: unknown) => (error as Error).message);
    records += typeof found === "number" ? found : 0;
    const fault = typeof found === "string" ? found : await differenceOf(folder, file, found);
    if (fault !== undefined) faults.push({ file: name, fault });
  }
  const end = chain.end();
  if (end !== undefined) faults.push({ file: "audit", fault: end });
  const hasAudit = files.some(({ name }) => isAudit(name));
  return {
    object: "export_verification",
    ok: faults.length === 0,
    files: files.length,
    records,
    audit_rows: hasAudit ? chain.rows() : null,
    faults,
  };
}

type ManifestFile = Manifest["files"][number];

function manifestIn(value: unknown, folder: string): Pick<Manifest, "files"> {
  const { object, version, files } = { ...(value as Partial<Manifest> | null) };
  const isGood =
    object === "export" &&
    version === 1 &&
    Array.isArray(files) &&
    files.every((one) => FILE_NAME.test(String(one?.name)));
  if (isGood) return { files };
  throw new CommandError(`${folder} has no manifest of an export that is complete.`, EXIT.data);
}

/** Reads all of the file, and calls `see` with each object. Returns their number. */
async function countIn(folder: string, name: string, see: (line: Line) => void): Promise<number> {
  let count = 0;
  for await (const line of linesOf(folder, name)) {
    see(JSON.parse(line) as Line);
    count += 1;
  }
  return count;
}

async function differenceOf(
  folder: string,
  { name, records, sha256 }: ManifestFile,
  found: number,
): Promise<string | undefined> {
  if ((await digestIn(folder, name)) !== sha256) return "its bytes are not those of the manifest";
  return found === records ? undefined : `has ${found} objects, and ${records} in the manifest`;
}

function isAudit(name: string): boolean {
  return /^audit-\d/.test(name);
}

/** Returns the hashes that signed digests give, by their `seq`. */
async function digestsIn(
  folder: string,
  files: readonly ManifestFile[],
  faults: ExportFault[],
): Promise<ReadonlyMap<unknown, unknown>> {
  const hashes = new Map<unknown, unknown>();
  const file = files.find(({ name }) => name === "audit-digests.jsonl.gz");
  if (file === undefined) return hashes;
  await countIn(folder, file.name, ({ seq, hash }) => void hashes.set(seq, hash)).catch((error: unknown) =>
    faults.push({ file: file.name, fault: (error as Error).message }),
  );
  return hashes;
}

/** Checks the chain from its end to its beginning: each entry's hash is in the one after it. */
function createChain(digests: ReadonlyMap<unknown, unknown>) {
  let rows = 0;
  let after: { readonly seq: unknown; readonly prev_hash: unknown } | undefined;
  return {
    rows: () => rows,
    check(row: Line): string | undefined {
      const { seq, hash, prev_hash } = row;
      const next = after;
      after = { seq, prev_hash };
      rows += 1;
      if (next !== undefined && next.seq !== Number(seq) + 1) return `the entry after ${String(seq)} is missing`;
      if (hash !== hashOf(row)) return `the entry ${String(seq)} was changed`;
      if (next !== undefined && next.prev_hash !== hash) return `the entry ${String(seq)} was replaced`;
      if (digests.has(seq) && digests.get(seq) !== hash)
        return `the entry ${String(seq)} is not that of a signed digest`;
      return undefined;
    },
    end(): string | undefined {
      if (after === undefined || (after.seq === 1 && after.prev_hash === "0".repeat(64))) return undefined;
      return `the entries before ${String(after.seq)} are missing`;
    },
  };
}

/** Follows docs/reference/audit.md. */
function hashOf({ hash: _hash, ...hashed }: Line): string {
  return createHash("sha256")
    .update(`${String(hashed["prev_hash"])}\n${canonical(hashed)}`)
    .digest("hex");
}

/** RFC 8785. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
