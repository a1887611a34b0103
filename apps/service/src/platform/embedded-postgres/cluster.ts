import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { EmbeddedError } from "./error.ts";
import { run } from "./process.ts";
import { writeOnce } from "./place.ts";
import type { Account } from "./process.ts";
import type { Binaries } from "./binaries.ts";
import type { ServerPlace } from "./place.ts";

/** The name of the role and of the database. The role is the cluster's superuser. */
export const NAME = "junction";
const MAJOR = "18";

/** Returns the password of the role, and creates it if it does not exist. */
export function password(place: ServerPlace): string {
  if (existsSync(place.password)) return readFileSync(place.password, "utf8").trim();
  if (existsSync(place.data)) {
    throw new EmbeddedError(
      `${place.password}, the password of the database in ${place.data}, is missing. Bring it back from a backup, ` +
        `or move ${place.data} away to start with an empty database.`,
    );
  }
  return writeOnce(place.password, randomBytes(32).toString("hex"));
}

/**
 * Returns the mark of every process of this folder's server. Other servers have other marks, even one that runs on a
 * copy of the folder.
 */
export function tagOf(place: ServerPlace, secret: string): string {
  const { dev, ino } = statSync(place.home);
  return `junction-${createHash("sha256").update(`${secret}:${dev}:${ino}`).digest("hex").slice(0, 12)}`;
}

/**
 * Creates PGDATA if it does not exist. The folder gets its name only when it is complete, so that an interrupted initdb
 * is never taken for a database. Throws EmbeddedError when initdb fails or PGDATA is not one of ours.
 */
export async function ensureCluster(place: ServerPlace, binaries: Binaries, secret: string): Promise<void> {
  discardDrafts(place.home);
  if (existsSync(place.data) && !isEmpty(place.data)) return adopt(place);
  const draft = join(place.home, `postgres.draft-${randomBytes(6).toString("hex")}`);
  const secretFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(secretFile, secret, { mode: 0o600 });
  give(draft, place.account);
  give(secretFile, place.account);
  const { code, output } = await run(binaries.initdb, initArguments(draft, secretFile), place.account);
  rmSync(secretFile);
  if (code !== 0) {
    rmSync(draft, { recursive: true });
    throw new EmbeddedError(`The database in ${place.data} cannot be made: ${output || `initdb exited with ${code}`}`);
  }
  renameSync(draft, place.data);
  flushFolder(place.home);
}

function initArguments(data: string, secretFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${NAME}`,
    `--pwfile=${secretFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // Sorting by code point is the same on every system, so that indexes survive a move.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ];
}

/** Checks an existing PGDATA, and gives it to the server's user if root owns it. */
function adopt(place: ServerPlace): void {
  const { data, account } = place;
  const versionFile = join(data, "PG_VERSION");
  let version: string;
  try {
    version = readFileSync(versionFile, "utf8").trim();
  } catch (error) {
    throw new EmbeddedError(
      `${data} is not a database this user can read (${String(error)}). ` +
        "Start Junction as its owner; if it holds no database, move it away.",
      { cause: error },
    );
  }
  if (version !== MAJOR) {
    throw new EmbeddedError(
      `${data} was made by PostgreSQL ${version}; this Junction brings ${MAJOR}. ` +
        "Start the Junction that made it, dump the database, and load the dump into a new data folder.",
    );
  }
  if (account !== undefined && statSync(data).uid !== account.uid) giveAll(data, account);
  const owner = statSync(data).uid;
  if (account === undefined && process.getuid !== undefined && owner !== process.getuid()) {
    throw new EmbeddedError(`${data} belongs to uid ${owner}: start Junction as that user, or chown -R the folder.`);
  }
}

/** Returns true if the folder is empty. A folder that cannot be read counts as full, because it may contain data. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

/**
 * Deletes drafts. A failed deletion does not prevent the start: an initdb that outlived its Junction may still be
 * writing there.
 */
function discardDrafts(home: string): void {
  const drafts = readdirSync(home).filter((name) => name.startsWith("postgres.draft-"));
  for (const name of drafts) {
    try {
      rmSync(join(home, name), { recursive: true, force: true, maxRetries: 2 });
    } catch {
      continue;
    }
  }
}

export function give(path: string, account: Account | undefined): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

function giveAll(folder: string, account: Account): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(folder, name), account.uid, account.gid);
  }
  give(folder, account);
}

function flushFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
