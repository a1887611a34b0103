import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CONSOLE_FOLDER } from "../console/console.ts";

/**
 * Addresses of the files that `tools/console/build.ts` creates for the documentation site. The console's routes serve
 * them.
 */
export interface BuiltAssets {
  readonly fonts: { readonly sans: string; readonly mono: string };
  /** The script that renders the API reference. */
  readonly reference: string;
}

export const BUILT_ASSETS = "docs.json";

/** Returns the text of `docs.json`; undefined until the console is built. */
export async function readBuiltAssets(folder = CONSOLE_FOLDER): Promise<string | undefined> {
  return await readFile(join(folder, BUILT_ASSETS), "utf8").catch(() => undefined);
}
