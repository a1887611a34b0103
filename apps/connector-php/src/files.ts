import { readFile, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The files by path, with `/` between names. */
export type Files = ReadonlyMap<string, Uint8Array>;

const php = fileURLToPath(new URL("../php/", import.meta.url));

/** Returns a connector's files and the PHP code of this package, by their paths in PHP.wasm. */
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
