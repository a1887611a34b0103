import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip, gzipSync } from "node:zlib";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";

/** The names that files of an export have, so that a name of a manifest never leaves the folder. */
export const FILE_NAME = /^[a-z]+(?:-[a-z]+)*(?:-\d{4}-\d{2})?\.jsonl\.gz$/;
export const MANIFEST = "manifest.json";
export const PROGRESS = "progress.json";
const KNOWN = new Set([MANIFEST, PROGRESS, `${MANIFEST}.next`, `${PROGRESS}.next`]);
/** Never through a link: who can write into the folder does not choose where the files are. */
const NO_LINK = constants.O_NOFOLLOW;
const PRIVATE = 0o600;
const CHUNK_BYTES = 1024 * 1024;
/** Far more than an object of the API can have. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Creates the folder. Throws if it contains anything that is not of an export. */
export async function openFolder(folder: string): Promise<void> {
  await guarded(folder, async () => void (await mkdir(folder, { recursive: true, mode: 0o700 })));
  const names = await guarded(folder, async () => await readdir(folder));
  const strange = names.find((name) => !KNOWN.has(name) && !FILE_NAME.test(name.replace(/\.part$/, "")));
  if (strange !== undefined)
    throw new CommandError(`${folder} is not empty, and not an export: name another folder.`, EXIT.data);
}

/** Removes what is left of files that are not part of the export. */
export async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.endsWith(".part")) await rm(join(folder, name));
}

/** Replaces a file as a whole. */
export async function writeWhole(folder: string, name: string, content: unknown): Promise<void> {
  const next = join(folder, `${name}.next`);
  await guarded(next, async () => {
    await rm(next, { force: true });
    const file = await open(next, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK, PRIVATE);
    await closing(file, async () => {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
    });
    await rename(next, join(folder, name));
  });
}

/** Returns the value of a JSON file; undefined if it does not exist. */
export async function readWhole(folder: string, name: string): Promise<unknown> {
  const path = join(folder, name);
  try {
    const file = await open(path, constants.O_RDONLY | NO_LINK);
    return JSON.parse(await closing(file, async () => await file.readFile("utf8"))) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, EXIT.data);
  }
}

/** A file that grows by members of gzip, each of which is whole. */
export interface Growing {
  /** Appends lines, and returns the size that the file has then. */
  append(lines: string): Promise<number>;
  /** Closes the file and gives it its name. */
  finish(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  close(): Promise<void>;
}

/** Opens an unfinished file, and cuts off what is after `bytes`. Returns undefined if it is shorter. */
export async function openGrowing(folder: string, name: string, bytes: number): Promise<Growing | undefined> {
  const part = join(folder, `${name}.part`);
  const file = await guarded(
    part,
    async () => await open(part, constants.O_RDWR | constants.O_CREAT | NO_LINK, PRIVATE),
  );
  if ((await file.stat()).size < bytes) {
    await file.close();
    return undefined;
  }
  await guarded(part, async () => await file.truncate(bytes));
  let size = bytes;
  const append = async (lines: string): Promise<number> => {
    const member = gzipSync(lines);
    await guarded(part, async () => {
      let written = 0;
      while (written < member.length)
        written += (await file.write(member, written, member.length - written, size + written)).bytesWritten;
      await file.datasync();
    });
    size += member.length;
    return size;
  };
  return {
    append,
    async finish() {
      // An empty text, so that the file of a list without objects is gzip too.
      if (size === 0) await append("");
      const sha256 = await digestOf(file);
      await guarded(part, async () => {
        await file.sync();
        await rename(part, join(folder, name));
      });
      return { bytes: size, sha256 };
    },
    close: async () => await file.close(),
  };
}

/** Returns the lines of a finished file, in constant memory. */
export async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  const file = await open(join(folder, name), constants.O_RDONLY | NO_LINK);
  const zipped = file.createReadStream({ autoClose: false });
  const unzipped = createGunzip().setEncoding("utf8");
  zipped.on("error", (error) => unzipped.destroy(error)).pipe(unzipped);
  try {
    let rest = "";
    // Not by `readline`, which also ends lines at characters that texts can contain.
    for await (const chunk of unzipped as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE) throw new Error(`${name} has a line of more than ${LONGEST_LINE} characters`);
      yield* lines.filter((line) => line !== "");
    }
    if (rest !== "") throw new Error(`${name} ends within a line`);
  } finally {
    zipped.destroy();
    unzipped.destroy();
    await file.close();
  }
}

/** Returns the SHA-256 of a file of the folder, in hex. */
export async function digestIn(folder: string, name: string): Promise<string> {
  const file = await open(join(folder, name), constants.O_RDONLY | NO_LINK);
  return await closing(file, async () => await digestOf(file));
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

async function closing<Result>(file: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await file.close();
  }
}

/** Says that the disk is full, or what else prevents a write. */
async function guarded<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ELOOP" ? "it is a link" : code === "ENOSPC" ? "the disk is full" : message;
    throw new CommandError(
      `${path} cannot be written: ${why}. After you fix that, run the same command again to continue.`,
      EXIT.output,
    );
  }
}
