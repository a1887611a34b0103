import { readFile, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Files by path, `/` between names. */
export type Files = ReadonlyMap<string, Uint8Array>;

const php = fileURLToPath(new URL("../php/", import.meta.url));

/** A connector's files, and the PHP that carries them, at the paths where PHP.wasm finds them. */
export async function readConnector(folder: string): Promise<Files> {
  return new Map([...(await read(php, "/junction")), ...(await read(folder, "/connector"))]);
}

async function read(folder: string, at: string): Promise<[string, Uint8Array][]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(
    paths.map(async (path): Promise<[string, Uint8Array]> => {
      const name = relative(folder, path).split(sep).join("/");
      return [`${at}/${name}`, await readFile(path)];
    }),
  );
}
