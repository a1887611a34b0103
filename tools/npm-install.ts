import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cached, digestOf } from "./cached.ts";
import { npm } from "./npm.ts";

/**
 * Installs what package-lock.json of a folder pins, once for each content of it, into the user's cache folder; later calls find it there.
 * Returns the folder. Undefined where the registry cannot be reached. CI must: there that is a failure.
 */
export async function installedPackages(name: string, folder: string): Promise<string | undefined> {
  const lockfile = await readFile(join(folder, "package-lock.json"));
  try {
    return await cached(`${name}-${digestOf(lockfile)}`, async (draft) => {
      for (const file of ["package.json", "package-lock.json"]) await copyFile(join(folder, file), join(draft, file));
      await npm(["ci", "--ignore-scripts"], draft);
    });
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    return undefined;
  }
}
