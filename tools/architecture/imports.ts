import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../../apps/service/src", import.meta.url));
const importedPath = /(?:^(?:import|export)\b[^"';]*?\bfrom\s*|^import\s*|\bimport\(\s*)["'](\.{1,2}\/[^"']+)["']/gm;

/** An import of one module by another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The service's modules in the order in which they may import each other (apps/service/src/modules.json). */
export const modules = JSON.parse(readFileSync(join(src, "modules.json"), "utf8")) as readonly string[];

/** Returns the service's files by their path in apps/service/src. */
export function sourceFiles(): string[] {
  return globSync("**/*.ts", { cwd: src }).map((path) => path.replaceAll("\\", "/"));
}

/** Returns the first folder of a path; undefined for a file without one. */
export function topFolder(path: string): string | undefined {
  return path.includes("/") ? path.split("/")[0] : undefined;
}

/** Returns the imports between modules, an edge for each import. */
export function importsBetween(files: readonly string[]): Edge[] {
  return files.flatMap(edgesOf);
}

function edgesOf(file: string): Edge[] {
  const from = topFolder(file);
  return [...readFileSync(join(src, file), "utf8").matchAll(importedPath)].flatMap(([, specifier = ""]) => {
    const to = topFolder(posix.normalize(posix.join(dirname(file), specifier)));
    if (from === undefined || to === undefined || from === to || [from, to].some((name) => !modules.includes(name))) {
      return [];
    }
    return [{ from, to }];
  });
}
