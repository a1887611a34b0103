import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { assertNoCollisions, assertPlainPath } from "./paths.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";

/** The contents of a folder: its bytes by path, each file read once. All later checks and storage use these bytes. */
export type Files = ReadonlyMap<string, Buffer>;

export const MAX_FILES = 256;
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
export const MAX_DEPTH = 8;

interface Reading {
  readonly root: string;
  readonly files: Map<string, Buffer>;
  total: number;
}

/**
 * Reads regular files only, follows no links, and does not block on a pipe or a device in a file's place. Throws
 * ConnectorRefusedError. A folder that is swapped during the read gives other bytes, which the signature check then
 * refuses.
 */
export async function readFolder(root: string): Promise<Files> {
  const reading: Reading = { root, files: new Map(), total: 0 };
  const { isLink, isFolder } = await kindOf(root, null);
  if (isLink)
    throw new ConnectorRefusedError("symlink", "The folder is a symbolic link. Replace the link with the folder.");
  if (!isFolder) throw new ConnectorRefusedError("special_file", "The path is not a folder.");
  await readLevel(reading, "", 1);
  assertNoCollisions(reading.files.keys());
  return reading.files;
}

async function readLevel(reading: Reading, at: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH)
    throw new ConnectorRefusedError(
      "too_deep",
      `The folders are nested too deeply. The maximum is ${MAX_DEPTH} levels.`,
      at,
    );
  const names = await orRefused(async () => await readdir(join(reading.root, at)), at);
  for (const name of names.toSorted()) {
    const path = at === "" ? name : `${at}/${name}`;
    assertPlainPath(path);
    const { isLink, isFolder, isFile } = await kindOf(join(reading.root, path), path);
    if (isLink)
      throw new ConnectorRefusedError(
        "symlink",
        "Symbolic links are not followed. Replace the link with the file.",
        path,
      );
    if (isFolder) await readLevel(reading, path, depth + 1);
    else if (isFile) await readOne(reading, path);
    else throw special(path);
  }
}

async function readOne(reading: Reading, path: string): Promise<void> {
  if (reading.files.size >= MAX_FILES)
    throw new ConnectorRefusedError("too_many_files", `The connector has too many files. The maximum is ${MAX_FILES}.`);
  const bytes = await orRefused(async () => await readBounded(join(reading.root, path), path), path);
  reading.total += bytes.length;
  if (reading.total > MAX_TOTAL_BYTES)
    throw new ConnectorRefusedError(
      "too_large",
      `The connector's files are too large. The maximum is ${MAX_TOTAL_BYTES} bytes in total.`,
    );
  reading.files.set(path, bytes);
}

async function readBounded(place: string, path: string): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place, flags);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw special(path);
    const bytes = Buffer.alloc(Math.min(stat.size, MAX_FILE_BYTES) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = (await file.read(bytes, length, bytes.length - length, length)).bytesRead;
    if (length > MAX_FILE_BYTES)
      throw new ConnectorRefusedError(
        "too_large",
        `The file is too large. The maximum is ${MAX_FILE_BYTES} bytes.`,
        path,
      );
    if (length !== stat.size)
      throw new ConnectorRefusedError("file_modified", "The file changed while it was read.", path);
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

async function kindOf(place: string, path: string | null): Promise<Record<"isLink" | "isFolder" | "isFile", boolean>> {
  const stat = await orRefused(async () => await lstat(place), path);
  return { isLink: stat.isSymbolicLink(), isFolder: stat.isDirectory(), isFile: stat.isFile() };
}

/** Turns an error of the file system into a refusal, including a link that replaced a file during the read. */
async function orRefused<T>(read: () => Promise<T>, path: string | null): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ConnectorRefusedError || !(error instanceof Error) || !("code" in error)) throw error;
    if (error.code === "ELOOP")
      throw new ConnectorRefusedError(
        "symlink",
        "Symbolic links are not followed. Replace the link with the file.",
        path,
      );
    if (error.code === "ENXIO") throw special(path);
    throw new ConnectorRefusedError("unreadable", `The file cannot be read (${String(error.code)}).`, path);
  }
}

function special(path: string | null): ConnectorRefusedError {
  return new ConnectorRefusedError(
    "special_file",
    "Only regular files and folders are allowed. Remove pipes, sockets and devices.",
    path,
  );
}
