import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { EmbeddedError } from "./error.ts";
import { pointerOf, readPointer } from "./home.ts";
import { CHILD_ENV, codeOf } from "./process.ts";
import type { Account } from "./process.ts";

/** The locations of all files, and the user that runs the server. All paths are absolute and free of symbolic links. */
export interface ServerPlace {
  /** The folder that the operator named. It contains our files: password, port, log. */
  readonly dataDir: string;
  /**
   * The folder of all that the server's user must reach: PGDATA, sockets, copied binaries. It is the data folder itself
   * if possible.
   */
  readonly home: string;
  /** PGDATA. */
  readonly data: string;
  /** The folder of the sockets; `undefined` if the path is too long for a socket. Then the server uses TCP only. */
  readonly sockets: string | undefined;
  readonly password: string;
  readonly port: string;
  readonly log: string;
  /** Set when this process is root, which PostgreSQL refuses to run as. */
  readonly account: Account | undefined;
}

/**
 * The folder that is used when the server's user cannot reach the data folder. It is not a temporary folder, because
 * those are cleaned up.
 */
const ELSEWHERE = "/var/lib/junction";

/** Creates the data folder, and decides where the server's files are. Throws EmbeddedError if that is not possible. */
export function settle(dataDir: string): ServerPlace {
  const real = makeFolder(dataDir);
  const account = process.getuid?.() === 0 ? chooseAccount(real) : undefined;
  const home = chooseHome(real, account);
  if (!existsSync(home)) throw new EmbeddedError(lost(real, home));
  requireWritable(home);
  const sockets = join(home, "postgres.socket");
  return {
    dataDir: real,
    home,
    data: join(home, "postgres"),
    // The kernel accepts at least 103 bytes, of which the server's `/.s.PGSQL.<port>.lock` needs 21.
    sockets: process.platform !== "win32" && Buffer.byteLength(sockets) <= 80 ? sockets : undefined,
    password: join(real, "postgres.password"),
    port: join(real, "postgres.port"),
    log: join(real, "postgres.log"),
    account,
  };
}

/**
 * Writes a file that others may be writing at this moment. The first writer wins, and no reader sees half a file.
 * Returns the final content of the file.
 */
export function writeOnce(path: string, content: string): string {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, "utf8").trim();
}

function makeFolder(dataDir: string): string {
  try {
    if (!existsSync(dataDir)) {
      mkdirSync(dirname(dataDir), { recursive: true });
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    }
    const real = realpathSync(dataDir);
    requireWritable(real);
    return real;
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw new EmbeddedError(
      `The data folder ${dataDir} cannot be made: ${String(error)}. Make it, or set JUNCTION_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!statSync(folder).isDirectory()) throw new Error("it is not a folder");
  } catch (error) {
    throw new EmbeddedError(
      `The data folder ${folder} is not writable by this user: ${String(error)}. ` +
        "Give it to the user that runs Junction, or set JUNCTION_DATA_DIR to another folder.",
      { cause: error },
    );
  }
}

/** Returns the owner of existing data, otherwise `postgres`, otherwise `nobody`. */
function chooseAccount(dataDir: string): Account {
  const data = join(readPointer(dataDir) ?? dataDir, "postgres");
  const owner = existsSync(data) ? statSync(data) : undefined;
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = accountNamed("postgres") ?? accountNamed("nobody");
  if (account !== undefined) return account;
  throw new EmbeddedError(
    "PostgreSQL does not run as root, and this machine has neither a user `postgres` nor a user `nobody`. " +
      "Add one, start Junction as another user, or set DATABASE_URL.",
  );
}

function accountNamed(name: string): Account | undefined {
  const id = (flag: string) =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8", env: CHILD_ENV, stdio: ["ignore", "pipe", "ignore"] }));
  try {
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}

function chooseHome(dataDir: string, account: Account | undefined): string {
  const pointed = readPointer(dataDir);
  if (pointed !== undefined) return pointed;
  if (account === undefined) return dataDir;
  const barrier = ancestors(dirname(dataDir)).find((folder) => !canEnter(folder, account));
  if (barrier === undefined) {
    if (!canEnter(dataDir, account)) chmodSync(dataDir, (statSync(dataDir).mode & 0o7777) | 0o011);
    return dataDir;
  }
  if (existsSync(join(dataDir, "postgres"))) {
    throw new EmbeddedError(
      `The database in ${dataDir} belongs to uid ${account.uid}, who cannot enter ${barrier}. ` +
        `Run chmod o+x ${barrier}, move the data folder, or start Junction as the database's owner.`,
    );
  }
  return goElsewhere(dataDir, account);
}

/**
 * Creates the database's folder with a random name. A name that is derived from the data folder would find old data
 * after that folder was deleted and created again.
 */
function goElsewhere(dataDir: string, account: Account): string {
  const home = join(ELSEWHERE, randomBytes(8).toString("hex"));
  try {
    mkdirSync(home, { recursive: true });
    for (const folder of [ELSEWHERE, home]) chmodSync(folder, 0o711);
  } catch (error) {
    throw new EmbeddedError(
      `uid ${account.uid}, who runs the database, can enter neither ${dataDir} nor ${ELSEWHERE}: ${String(error)}. ` +
        "Set JUNCTION_DATA_DIR to a folder whose parents everyone may enter.",
      { cause: error },
    );
  }
  const chosen = writeOnce(pointerOf(dataDir), home);
  if (chosen !== home) rmSync(home, { recursive: true });
  return chosen;
}

/** Returns the folder, its parent, and so on to the root. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** Applies the kernel's rule without access lists: the first class that matches decides. */
function canEnter(folder: string, account: Account): boolean {
  const { uid, gid, mode } = statSync(folder);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

function lost(dataDir: string, home: string): string {
  return (
    `${pointerOf(dataDir)} names the database folder ${home}, which does not exist. ` +
    "Restore that folder, restore a backup into an empty data folder, or delete this file to start with an empty database."
  );
}
