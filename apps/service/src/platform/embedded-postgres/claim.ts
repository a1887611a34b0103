import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedError } from "./error.ts";
import { startOf } from "./process.ts";

/** The right to run the one server of a folder. */
export type Claim = Awaited<ReturnType<typeof claim>>;

const RETRY_MS = 50;
const PATIENCE_MS = 1_000;

/** Keeps the locks referenced: a lock that is garbage-collected is released. */
const held = new Set<DatabaseSync>();

/**
 * Claims `home` for this process until `release` or until the process ends for any reason.
 * Throws EmbeddedError when another process, or another caller in this one, holds it.
 *
 * The kernel holds the lock: SQLite takes it with fcntl, for which Node has no function. The lock ends with its
 * process. So no lock can be stale, no reused process id can be mistaken for the holder, and no other process can
 * intervene between check and lock.
 * The file `junction.pid` only names the holder.
 */
export async function claim(home: string) {
  const owner = join(home, "junction.pid");
  const lock = open(join(home, "junction.lock"));
  try {
    await take(lock);
    writeFileSync(owner, `${process.pid} ${startOf(process.pid) ?? ""}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new EmbeddedError(inUse(home, holder(owner)), { cause: error });
    throw new EmbeddedError(`The data folder ${home} cannot be locked: ${String(error)}. Use a local disk.`, {
      cause: error,
    });
  }
  held.add(lock);
  return {
    release(): void {
      if (!held.delete(lock)) return;
      rmSync(owner, { force: true });
      lock.close();
    },
  };
}

/** A process that was just killed holds its locks for some more milliseconds, so the first refusal is not final. */
async function take(lock: DatabaseSync): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return lock.exec("pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive");
    } catch (error) {
      if (!isBusy(error) || waitedMs >= PATIENCE_MS) throw error;
    }
    await sleep(RETRY_MS);
  }
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw new EmbeddedError(`${path} cannot be opened: ${String(error)}. Give this user the right to write there.`, {
      cause: error,
    });
  }
}

/** Returns the holder's process id; `undefined` while the holder has not written it yet. */
function holder(owner: string): number | undefined {
  try {
    // A start time may contain spaces: it is everything after the id.
    const [, pid, start] = /^(\d+) (.+)\n$/.exec(readFileSync(owner, "utf8")) ?? [];
    return start !== undefined && startOf(Number(pid)) === start ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

function inUse(home: string, pid: number | undefined): string {
  const who = pid === undefined ? "another Junction" : `Junction pid ${pid}`;
  return `The data folder ${home} is in use by ${who}; stop it or set JUNCTION_DATA_DIR to another folder.`;
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
