import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface ConsoleRoute {
  /** `$id` stands for any one part. */
  readonly path: string;
  /** From the console's folder. */
  readonly module: string;
  /** Shown to whoever is not signed in. */
  readonly isPublic: boolean;
}

const ROUTES = fileURLToPath(new URL("../../apps/console/src/routes.ts", import.meta.url));
const ROUTE = /path: "([^"]+)",\s+load: async \(\) => await import\("\.\/([^"]+)"\)/g;
/** The console's own, of which users get nothing. */
const GALLERY = "/ui-gallery";

/** The routes of apps/console/src/routes.ts, read as text: only a bundler can load that module. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  const [ofAnybody = "", ofMembers = ""] = (await readFile(ROUTES, "utf8")).split("export const routes");
  const routesOf = (source: string, isPublic: boolean): ConsoleRoute[] =>
    [...source.matchAll(ROUTE)].map(([, path = "", module = ""]) => ({ path, module: `src/${module}`, isPublic }));
  return [...routesOf(ofAnybody, true), ...routesOf(ofMembers, false)].filter(({ path }) => path !== GALLERY);
}
