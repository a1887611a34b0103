import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installedPackages } from "../npm-install.ts";
import { pythonEnvironment } from "../python.ts";

/** The generations of the official libraries of Svix. Only tests need them, so that the repository does not depend on them. */
export const GENERATIONS = ["1", "2"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** Returns the library of the npm registry; undefined where the registry cannot be reached. */
export async function nodeLibrary(generation: Generation): Promise<unknown> {
  const home = await installedPackages("svix", fileURLToPath(new URL("node/", import.meta.url)));
  if (home === undefined) return undefined;
  const main = generation === "1" ? "dist/index.js" : "dist/index.mjs";
  return await import(pathToFileURL(join(home, "node_modules", `svix-${generation}`, main)).href);
}

/** Returns the Python that has the library of PyPI. */
export async function pythonLibrary(generation: Generation): Promise<string> {
  const requirements = fileURLToPath(new URL(`requirements-${generation}.txt`, import.meta.url));
  return (await pythonEnvironment({ name: `svix-${generation}`, requirements })).program("python");
}
