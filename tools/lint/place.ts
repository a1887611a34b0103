import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The place of a file in apps/service/src. */
export interface Place {
  /** The absolute path of the apps/service/src it belongs to. */
  readonly sourceRoot: string;
  /** Relative to `sourceRoot`, with forward slashes. */
  readonly path: string;
  /** The first folder of `path`; undefined for a file directly in `sourceRoot`, and for a file in a folder that is not a module. */
  readonly module: string | undefined;
  /** True for a module's manifest: the only one of its files that imports composition/, and above all of its folders. */
  readonly isManifest: boolean;
  /** True for a `*.test.ts` file or anything in testing/, which test the service and are not part of it. */
  readonly isTest: boolean;
}

const sourceFolder = "/apps/service/src/";
/** Folders that are not modules: they put the service together, configure it, and run it as processes. */
const above: ReadonlySet<string> = new Set(["composition", "config", "process"]);

/** Returns the place of an absolute path; undefined outside apps/service/src. */
export function placeOf(filename: string): Place | undefined {
  const normal = filename.replaceAll("\\", "/");
  const start = normal.lastIndexOf(sourceFolder);
  if (start === -1) return undefined;
  const path = normal.slice(start + sourceFolder.length);
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : undefined;
  const module = folder === undefined || above.has(folder) ? undefined : folder;
  return {
    sourceRoot: normal.slice(0, start + sourceFolder.length - 1),
    path,
    module,
    isManifest: path.endsWith(".module.ts"),
    isTest: module === "testing" || path.endsWith(".test.ts"),
  };
}

/** Returns the place that a relative import names; undefined for a package or a file outside apps/service/src. */
export function placeOfImport(from: Place, specifier: string): Place | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return placeOf(resolve(dirname(join(from.sourceRoot, from.path)), specifier));
}

/** Returns the only file of a module that others may import. In the platform, each part has a front door of its own. */
export function frontDoorOf({ module = "", path }: Place): string {
  if (module !== "platform") return `${module}/${module}.ts`;
  const part = path.split("/")[1] ?? "";
  return `platform/${part}/${part}.ts`;
}

/** Returns the file's name without its folders. */
export function fileNameOf(place: Place): string {
  return basename(place.path);
}

/** Returns the modules in the order in which they may import each other: each only earlier ones. */
export function moduleOrder(sourceRoot: string): readonly string[] {
  return JSON.parse(readFileSync(join(sourceRoot, "modules.json"), "utf8")) as readonly string[];
}
