import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { EmbeddedError } from "./error.ts";

/** The location of the embedded database of a data folder. */
export interface DatabaseHome {
  /** Without symbolic links. */
  readonly dataDir: string;
  /** The data folder itself, unless the user that runs PostgreSQL cannot enter that. */
  readonly home: string;
}

/** Returns the location of the database of a data folder; undefined if the folder does not exist. */
export function databaseHome(dataDir: string): DatabaseHome | undefined {
  if (!existsSync(dataDir)) return undefined;
  const real = realpathSync(resolve(dataDir));
  return { dataDir: real, home: readPointer(real) ?? real };
}

/** Returns the path of the file in which a data folder keeps the location of its database. */
export function pointerOf(dataDir: string): string {
  return join(dataDir, "postgres.location");
}

export function readPointer(dataDir: string): string | undefined {
  const pointer = pointerOf(dataDir);
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : undefined;
}

/**
 * Returns the data folder that this one is a copy of, if both point to one database. A folder that was moved, or is reached by another
 * path, is not a copy: the path that the database knows is then gone, or is the same folder.
 */
export function originalOf({ dataDir, home }: DatabaseHome): string | undefined {
  const known = home === dataDir ? undefined : readOwner(home);
  if (known === undefined || known === dataDir) return undefined;
  return pointsTo(known, home) && !isSameFolder(known, dataDir) ? known : undefined;
}

/** Throws EmbeddedError for a copy of a data folder. */
export function assertNotCopied(place: DatabaseHome): void {
  const original = originalOf(place);
  if (original !== undefined) throw new EmbeddedError(copied(place, original));
}

/** Records the data folder in its database's home. Returns the path that it had before, if that was another. */
export function recordOwner({ dataDir, home }: DatabaseHome): string | undefined {
  if (home === dataDir) return undefined;
  const known = readOwner(home);
  if (known !== dataDir) writeFileSync(ownerOf(home), `${dataDir}\n`, { mode: 0o600, flush: true });
  return known === dataDir ? undefined : known;
}

function ownerOf(home: string): string {
  return join(home, "junction.folder");
}

function readOwner(home: string): string | undefined {
  const owner = ownerOf(home);
  return existsSync(owner) ? readFileSync(owner, "utf8").trim() : undefined;
}

function pointsTo(folder: string, home: string): boolean {
  try {
    return readPointer(folder) === home;
  } catch {
    return false;
  }
}

function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.dev === b.dev && a.ino === b.ino;
}

function copied({ dataDir, home }: DatabaseHome, original: string): string {
  return (
    `The data folder ${dataDir} is a copy of ${original}, and the database of both is ${home}: a start would change the original. ` +
    "To try something with a copy, run junction backup with the original and junction restore with an empty folder. " +
    `If ${dataDir} is to replace ${original}, delete ${pointerOf(original)} first.`
  );
}
