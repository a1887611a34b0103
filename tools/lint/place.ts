import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where a file stands in apps/service/src. */
export interface Place {
  /** The absolute path of the apps/service/src it belongs to. */
  readonly sourceRoot: string;
  /** Relative to `sourceRoot`, with forward slashes. */
  readonly path: string;
  /** The first folder of `path`; undefined for a file directly in `sourceRoot`. */
  readonly module: string | undefined;
  /** A `*.test.ts` file or anything in testing/: it proves the service and is no part of it. */
  readonly isTest: boolean;
}

const sourceFolder = "/apps/service/src/";

/** The place of an absolute path; undefined outside apps/service/src. */
export function placeOf(filename: string): Place | undefined {
  const normal = filename.replaceAll("\\", "/");
  const start = normal.lastIndexOf(sourceFolder);
  if (start === -1) return undefined;
  const path = normal.slice(start + sourceFolder.length);
  const module = path.includes("/") ? path.slice(0, path.indexOf("/")) : undefined;
  return {
    sourceRoot: normal.slice(0, start + sourceFolder.length - 1),
    path,
    module,
    isTest: module === "testing" || path.endsWith(".test.ts"),
  };
}

/** The place a relative import names; undefined for a package or a file outside apps/service/src. */
export function placeOfImport(from: Place, specifier: string): Place | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return placeOf(resolve(dirname(join(from.sourceRoot, from.path)), specifier));
}

/** A module's only file that others may import. */
export function frontDoorOf(module: string): string {
  return `${module}/${module}.ts`;
}

/** The file's name without its folders. */
export function fileNameOf(place: Place): string {
  return basename(place.path);
}

/** The modules in the order in which they may import each other: each only those before it. */
export function moduleOrder(sourceRoot: string): readonly string[] {
  return JSON.parse(readFileSync(join(sourceRoot, "modules.json"), "utf8")) as readonly string[];
}
