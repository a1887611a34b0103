import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A file of the build, as Vite's manifest.json names it by the module it was made from. */
export interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
}

export type Manifest = Readonly<Record<string, Chunk>>;

/** The page, which loads before any screen. */
export const PAGE = "index.html";
/** The frame around the screens of signed-in users. */
export const SHELL = "src/shell/layout.tsx";

export const SIGN_IN = "src/features/sign-in/sign-in.tsx";
/** The screen that most people open first. */
export const HOME = "src/features/home/home.tsx";

export async function readManifest(dist: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(dist, "manifest.json"), "utf8")) as Manifest;
}

/** Returns a chunk's name and the names of all chunks that it imports statically. */
export function closure(manifest: Manifest, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name) || manifest[name] === undefined) return seen;
  seen.add(name);
  for (const one of manifest[name].imports ?? []) closure(manifest, one, seen);
  return seen;
}
