import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface ConsoleRoute {
  /** `$id` stands for any single part of the path. */
  readonly path: string;
  /** Path from the console's folder. */
  readonly module: string;
  /** True if the screen is shown without signing in. */
  readonly isPublic: boolean;
}

const ROUTES = fileURLToPath(new URL("../../apps/console/src/routes.ts", import.meta.url));
const ROUTE = /path: "([^"]+)",\s+load: async \(\) => await import\("\.\/([^"]+)"\)/g;
/** A page for the console's developers, which the build for users leaves out. */
const GALLERY = "/ui-gallery";

/** The routes of apps/console/src/routes.ts, read as text: only a bundler can load that module. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  const [ofAnybody = "", ofMembers = ""] = (await readFile(ROUTES, "utf8")).split("export const routes");
  const routesOf = (source: string, isPublic: boolean): ConsoleRoute[] =>
    [...source.matchAll(ROUTE)].map(([, path = "", module = ""]) => ({ path, module: `src/${module}`, isPublic }));
  return [...routesOf(ofAnybody, true), ...routesOf(ofMembers, false)].filter(({ path }) => path !== GALLERY);
}
