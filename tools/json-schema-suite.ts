import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installAlone, unpackDebianPackages, whyNoDebianPackages } from "./debian-packages.ts";
import { cacheFolder } from "./run.ts";

/** A Perl module carries the published test suite of JSON Schema, which no package of npm has for 2020-12. */
const PACKAGE = "libtest-json-schema-acceptance-perl";
const TESTS = "root/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12";

// The program's own start, under the lock, unpacks the package.
if (import.meta.main && process.argv[2] === "install") await install(await homeFolder());

/** Returns the folder of the suite's tests for JSON Schema 2020-12, which the first call of this machine unpacks. */
export async function jsonSchemaSuite(): Promise<string> {
  const home = await homeFolder();
  if (!existsSync(join(home, "complete"))) await installAlone(home, fileURLToPath(import.meta.url));
  return join(home, TESTS);
}

/** Returns why this machine cannot have the suite, as text for a person; undefined if it can. In CI it is undefined. */
export async function whyNoJsonSchemaSuite(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined || existsSync(join(await homeFolder(), "complete"))) return undefined;
  const missing = await whyNoDebianPackages();
  return missing === undefined ? undefined : `the test suite of JSON Schema is Debian's package, and ${missing}`;
}

/** Returns the cached folder for the content of this file. */
async function homeFolder(): Promise<string> {
  const recipe = createHash("sha256").update(await readFile(fileURLToPath(import.meta.url)));
  return join(cacheFolder(), `json-schema-suite-${recipe.digest("hex").slice(0, 16)}`);
}

async function install(home: string): Promise<void> {
  if (existsSync(join(home, "complete"))) return;
  await unpackDebianPackages(home, { release: 13, names: [PACKAGE], dependencies: false });
  await mkdir(join(home, "complete"));
}
