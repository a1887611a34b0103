import type { Dirent } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

/** A folder with a program's files and nothing else. */
export interface Laid {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Writes the files of programs for running. Each service has a separate folder, which is removed with it. */
export type Grounds = Awaited<ReturnType<typeof openGrounds>>;

const NAME = /^hosts-(\w+)-(\d+)-/;
/** Several machines may share the folder. Those of other machines are removed only after this time without changes. */
const FORGOTTEN_MS = 7 * 24 * 3_600_000;
const MACHINE = hostname().replaceAll(/\W/g, "_");
const PATH = /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/;

/** Creates this service's folder in `directory`, and removes those of services that were killed. */
export async function openGrounds(directory: string) {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const own = await realpath(await mkdtemp(join(directory, `hosts-${MACHINE}-${process.pid}-`)));
  await removeLeftOver(directory, (await lstat(own)).mtimeMs);
  const empty = join(own, "empty");
  await mkdir(empty, { mode: 0o700 });
  return {
    /** An empty folder. */
    empty,
    lay: async (files: ReadonlyMap<string, Buffer>): Promise<Laid> => {
      await mkdir(empty, { recursive: true, mode: 0o700 });
      const laid = await mkdtemp(join(own, "program-"));
      const removeLaid = async () => await removeTree(laid);
      try {
        await write(laid, files);
        await compare(laid, files);
      } catch (error) {
        await removeLaid();
        throw error;
      }
      return { directory: laid, remove: removeLaid };
    },
    remove: async (): Promise<void> => await removeTree(own),
  };
}

async function write(directory: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [path, bytes] of files) {
    // The files were verified before. The check protects against a path that would leave the folder.
    if (!PATH.test(path)) throw new Error(`A file of the program has the invalid path ${JSON.stringify(path)}.`);
    const target = join(directory, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, bytes, { flag: "wx", mode: 0o400 });
  }
}

/** Compares the folder with the program's files, and makes it read-only. Throws an error on any difference. */
async function compare(directory: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const entries = await entriesBelow(directory);
  let found = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o500);
    else if (files.get(path.slice(directory.length + 1))?.equals(await readRegular(path)) === true) found += 1;
    else throw new Error("The program's folder contains files that are not part of the program.");
  }
  if (found !== files.size) throw new Error("The program's folder is incomplete.");
  await chmod(directory, 0o500);
}

/** Follows no links, unlike `readdir` with `recursive`. */
async function entriesBelow(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const below = await Promise.all(folders.map(async ({ name }) => await entriesBelow(join(directory, name))));
  return [...entries, ...below.flat()];
}

async function readRegular(path: string): Promise<Buffer> {
  const stat = await lstat(path);
  if (!stat.isFile() || stat.nlink !== 1) throw new Error("The program's folder contains a link.");
  return await readFile(path);
}

async function removeLeftOver(directory: string, nowMs: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, machine, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(directory, name);
    const left = machine === MACHINE ? !isAlive(Number(pid)) : nowMs - (await touchedMs(folder)) > FORGOTTEN_MS;
    if (left) await removeTree(folder);
  }
}

/** Returns infinity if another process has removed the folder, so that it is not removed here. */
async function touchedMs(folder: string): Promise<number> {
  return await lstat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function removeTree(directory: string): Promise<void> {
  await openFolders(directory);
  await rm(directory, { recursive: true, force: true });
}

/** Makes folders writable, because only root could remove files from read-only ones. */
async function openFolders(directory: string): Promise<void> {
  try {
    await chmod(directory, 0o700);
    const entries = await readdir(directory, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) await openFolders(join(directory, entry.name));
  } catch {
    // The folder does not exist, or no longer exists.
  }
}
