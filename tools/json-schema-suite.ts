import { existsSync } from "node:fs";
import { join } from "node:path";
import { cachedAlone, cacheFolder } from "./cached.ts";
import { unpackDebianPackages, whyNoDebianPackages } from "./debian-packages.ts";

/** A Perl module carries the published test suite of JSON Schema, which no package of npm has for 2020-12. */
const PACKAGE = "libtest-json-schema-acceptance-perl";
const TESTS = "root/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12";
const NAME = `debian/${PACKAGE}-13`;

/** Returns the folder of the suite's tests for JSON Schema 2020-12, which the first call of this machine unpacks. */
export async function jsonSchemaSuite(): Promise<string> {
  const home = await cachedAlone(NAME, async (draft) => {
    await unpackDebianPackages(draft, { release: 13, names: [PACKAGE], dependencies: false });
  });
  return join(home, TESTS);
}

/** Returns why this machine cannot have the suite, as text for a person; undefined if it can. In CI it is undefined. */
export async function whyNoJsonSchemaSuite(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined || existsSync(join(cacheFolder(), NAME))) return undefined;
  const missing = await whyNoDebianPackages();
  return missing === undefined ? undefined : `the test suite of JSON Schema is Debian's package, and ${missing}`;
}
