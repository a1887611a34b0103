import { hash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const folder = join(root, "apps/console");
export const dist = join(folder, "dist");
/** The file of the built console with the fingerprint of its sources. */
export const STAMP = "built-from";
const SOURCES = [
  "index.html",
  "portal.html",
  "package.json",
  "vite.config.ts",
  "public/**/*.*",
  "src/**/*.{ts,tsx,css}",
  "../../packages/design/*.css",
];
/** The modules that build the console. */
const OWN = ["build.ts", "docs-assets.ts", "fingerprint.ts", "manifest.ts", "routes.ts"].map((name) =>
  join(root, "tools/console", name),
);
const TESTS = /(?:\.test\.ts|src\/testing\/.*)$/;

/** Returns a hash of all that the console is built from. */
export async function fingerprint(): Promise<string> {
  const found = globSync(SOURCES, { cwd: folder });
  const files = found.filter((file) => !TESTS.test(file)).toSorted();
  const parts = await Promise.all(
    [...files.map((file) => join(folder, file)), join(root, "package-lock.json"), ...OWN].map(
      async (file) => `${file.slice(root.length)} ${hash("sha256", await readFile(file))}`,
    ),
  );
  return hash("sha256", parts.join("\n"));
}

/** Returns true if the console is built from these sources; by default, from the present ones. */
export async function isBuilt(wanted?: string): Promise<boolean> {
  const built = await readFile(join(dist, STAMP), "utf8").catch(() => "");
  return built === (wanted ?? (await fingerprint()));
}
