import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { pathOfNext, readTarHeader, sha256, TAR_BLOCK, tarHeader, tarPadding } from "../../lib/lib.ts";
import { BackupError } from "./fault.ts";

/** A file in a backup. */
export interface Member {
  readonly path: string;
  readonly bytes: number;
  /** The digest in hex. */
  readonly sha256: string;
}

/**
 * Writes a tar file. It gets its name only when all of it is on the disk. An interrupted one is called `<name>.part-…`.
 */
export interface ArchiveWriter {
  add(path: string, content: Buffer): Promise<Member>;
  /** Completes the file and returns its size. Throws if another process has created a file of the name. */
  finish(): Promise<number>;
  /** Removes the written data, unless the file is finished. */
  abandon(): Promise<void>;
}

export async function createArchive(out: string): Promise<ArchiveWriter> {
  const draft = `${out}.part-${randomBytes(4).toString("hex")}`;
  const file = await opened(draft, out);
  let size = 0;
  let isOpen = true;
  const write = async (...parts: Buffer[]): Promise<void> => {
    // Each part is appended to the previous one. `writev` may write only a part of the data, `appendFile` does not.
    for (const part of parts) await file.appendFile(part);
    size += parts.reduce((total, part) => total + part.length, 0);
  };
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  return {
    async add(path, content) {
      await write(tarHeader(path, content.length), content, tarPadding(content.length));
      return { path, bytes: content.length, sha256: sha256(content).toString("hex") };
    },
    async finish() {
      await write(Buffer.alloc(2 * TAR_BLOCK));
      await file.sync();
      await close();
      await take(draft, out);
      return size;
    },
    async abandon() {
      await close();
      await rm(draft, { force: true });
    },
  };
}

async function opened(draft: string, out: string): Promise<FileHandle> {
  try {
    return await open(draft, "wx", 0o600);
  } catch (error) {
    throw new BackupError(`${out} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Gives the draft its name, which must be free. A disk without hard links renames the draft. */
async function take(draft: string, out: string): Promise<void> {
  try {
    await link(draft, out);
    await rm(draft);
  } catch (error) {
    if (existsSync(out))
      throw new BackupError(`${out} was created by another process during the backup. Nothing was overwritten.`, {
        cause: error,
      });
    await rename(draft, out);
  }
  const folder = await open(dirname(out), "r");
  // Windows cannot flush folders.
  await folder.sync().catch(() => undefined);
  await folder.close();
}

export interface ReadMember {
  readonly path: string;
  readonly content: Buffer;
}

/** Yields the files of a backup in their order, one at a time. Throws BackupError if the archive ends too early. */
export async function* readArchive(file: string): AsyncGenerator<ReadMember> {
  const source = await open(file, "r").catch((error: unknown) => {
    throw new BackupError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  try {
    let longPath: string | undefined;
    for (;;) {
      const head = headOf(file, await exactly(source, file, TAR_BLOCK));
      if (head === undefined) return;
      const whole = await exactly(source, file, head.size + tarPadding(head.size).length);
      const content = whole.subarray(0, head.size);
      if (head.kind === "file") yield { path: longPath ?? head.path, content };
      const isOver = head.kind === "file" || head.kind === "folder";
      longPath = isOver ? undefined : (pathOfNext(head, content) ?? longPath);
    }
  } finally {
    await source.close();
  }
}

function headOf(file: string, block: Buffer): ReturnType<typeof readTarHeader> {
  try {
    const head = readTarHeader(block);
    if (head !== undefined && head.size > LARGEST)
      throw new Error("it contains a file that is too large for a Junction backup");
    return head;
  } catch (error) {
    throw new BackupError(`${file} is not a Junction backup, or was changed: ${messageOf(error)}.`, { cause: error });
  }
}

/** The maximum size of a PostgreSQL row, 1 GB. */
const LARGEST = 2 ** 30;

async function exactly(source: FileHandle, file: string, length: number): Promise<Buffer> {
  const into = Buffer.allocUnsafe(length);
  let have = 0;
  while (have < length) {
    const { bytesRead } = await source.read(into, have, length - have, null);
    if (bytesRead === 0) throw new BackupError(`${file} is incomplete: it ends too early.`);
    have += bytesRead;
  }
  return into;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
