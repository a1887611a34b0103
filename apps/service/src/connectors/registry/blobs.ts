import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "../../lib/lib.ts";
import { MANIFEST } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import type { Package } from "./package.ts";

/**
 * Verified files, stored in the data folder by the SHA-256 of their bytes. Code runs only from here, never from the
 * connector's folder.
 */
export type Blobs = ReturnType<typeof createBlobs>;

/** Thrown if a version's files are missing on this node or differ from the signed ones. */
export class FilesMissingError extends Error {
  constructor(path: string) {
    super(`This node does not have the signed version of ${path}. Restore the connector's folder, then rescan.`);
    this.name = "FilesMissingError";
  }
}

export function createBlobs(dataDir: string) {
  const root = join(dataDir, "connectors", "sha256");
  const placeOf = (hash: string): string => join(root, hash.slice(0, 2), hash);
  return {
    /** Stores a verified package's files and manifest. Repeated and concurrent calls are safe. */
    async keep({ files, digest, manifest }: Pick<Package, "files" | "digest" | "manifest">): Promise<void> {
      for (const [path, { sha256: hash }] of Object.entries(manifest.files))
        await keepOne(placeOf(hash), hash, files.get(path));
      // The manifest is written last: if it exists, the files exist.
      await keepOne(placeOf(digest), digest, files.get(MANIFEST));
    },
    /** Returns true if every file of a version is here, unchanged since it was signed. */
    async has(digest: string, manifest: Manifest): Promise<boolean> {
      const hashes = new Set([digest, ...Object.values(manifest.files).map((one) => one.sha256)]);
      const found = await Promise.all([...hashes].map(async (hash) => await isWhole(placeOf(hash), hash)));
      return found.every(Boolean);
    },
    /**
     * Returns the files of a version. Their hashes are checked on each read, so a changed file is never returned. Throws
     * FilesMissingError.
     */
    async read(manifest: Manifest): Promise<ReadonlyMap<string, Buffer>> {
      const files = Object.entries(manifest.files).map(async ([path, { sha256: hash }]) => {
        const bytes = await readWhole(placeOf(hash), hash);
        if (bytes === undefined) throw new FilesMissingError(path);
        return [path, bytes] as const;
      });
      return new Map(await Promise.all(files));
    },
  };
}

async function keepOne(place: string, hash: string, bytes: Buffer | undefined): Promise<void> {
  if (bytes === undefined || sha256(bytes).toString("hex") !== hash) throw new Error(`not the bytes of ${hash}`);
  if (await isWhole(place, hash)) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const draft = `${place}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o400);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, place);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns false for a missing file, a file that a crash cut short, and a changed file. `keep` writes these again. */
async function isWhole(place: string, hash: string): Promise<boolean> {
  return (await readWhole(place, hash)) !== undefined;
}

/** Returns undefined if the bytes do not match the hash. */
async function readWhole(place: string, hash: string): Promise<Buffer | undefined> {
  try {
    if (!(await stat(place)).isFile()) return undefined;
    const bytes = await readFile(place);
    return sha256(bytes).toString("hex") === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}
