/** Compares the compressed JavaScript that the console loads with its budget: `node tools/console/budget.ts`. */
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { closure, HOME, readManifest, SHELL } from "./manifest.ts";

export interface Load {
  /** "first load", or the module that is loaded when it is needed. */
  readonly name: string;
  /** Size of its gzipped JavaScript, in addition to the first load. */
  readonly bytes: number;
  readonly limit: number;
}

const KB = 1000;
const FIRST_LOAD = 250 * KB;
const PORTAL_FIRST_LOAD = 120 * KB;
const LAZY = 64 * KB;
/** The first load of the portal has no dialogs, menus or lists of choices, which the shell of the console has. */
const PORTAL_LAZY = 100 * KB;
/** Budget of a module with a code editor. */
const EDITOR = 130 * KB;
const EDITORS = /\/(?:code-editor|editor)\.tsx$/;

/**
 * Returns the loads of the existing build. The first load consists of the files of the home page, including the shell. Each lazy module
 * counts with all files that it needs in addition to the shell, as if it were the first to be opened.
 */
export async function loads(dist: URL = new URL("../../apps/console/dist/", import.meta.url)): Promise<Load[]> {
  const portal = await loadsOf(new URL("portal/", dist), {
    first: { name: "first load of the portal", limit: PORTAL_FIRST_LOAD },
    lazy: PORTAL_LAZY,
    frame: "portal.html",
    home: "src/features/endpoints/endpoints.tsx",
  });
  const own = await loadsOf(dist, {
    first: { name: "first load", limit: FIRST_LOAD },
    lazy: LAZY,
    frame: SHELL,
    home: HOME,
  });
  return [...own, ...portal.map((one) => ({ ...one, name: one.name.replace(/^src/, "portal: src") }))];
}

interface Site {
  readonly first: Pick<Load, "name" | "limit">;
  /** The budget of a module that is loaded when it is needed. */
  readonly lazy: number;
  /** The module around all screens. */
  readonly frame: string;
  /** The screen that is shown first. */
  readonly home: string;
}

async function loadsOf(dist: URL, { first, lazy: limit, frame, home }: Site): Promise<Load[]> {
  const manifest = await readManifest(fileURLToPath(dist));
  // The files of the portal are named from its own folder.
  const size = async (names: readonly string[]): Promise<number> => {
    const files = names.map((name) => manifest[name]?.file ?? "").filter((file) => file.endsWith(".js"));
    const sizes = await Promise.all(files.map(async (file) => await compressedSize(new URL(file, dist))));
    return sizes.reduce((sum, one) => sum + one, 0);
  };
  const names = Object.keys(manifest);
  const isLazy = (name: string): boolean => manifest[name]?.isDynamicEntry === true && name !== frame;
  // A script that other pages load does not count.
  const isBase = (name: string): boolean => name.endsWith(".html") || name === frame;
  const base = union(names.filter(isBase).map((name) => closure(manifest, name)));
  const lazy = new Map(names.filter(isLazy).map((name) => [name, closure(manifest, name).difference(base)]));
  const rows = [...lazy].map(async ([name, own]) => {
    return { name, bytes: await size([...own]), limit: EDITORS.test(name) ? EDITOR : limit };
  });
  const shown = lazy.get(home) ?? new Set<string>();
  return [{ ...first, bytes: await size([...base.union(shown)]) }, ...(await Promise.all(rows))];
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((one) => [...one]));
}

/** Returns the compressed size. Files that are too small to be compressed count with their own size. */
async function compressedSize(file: URL): Promise<number> {
  const compressed = await stat(new URL(`${file.href}.gz`)).catch(() => undefined);
  return (compressed ?? (await stat(file))).size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = await loads();
  for (const { name, bytes, limit } of found.toSorted((a, b) => b.bytes - a.bytes)) {
    console.log(`${(bytes / KB).toFixed(1).padStart(7)} kB of ${limit / KB}  ${name}`);
  }
  if (found.some(({ bytes, limit }) => bytes > limit)) process.exitCode = 1;
}
