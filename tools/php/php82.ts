import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { cachedAlone, digestOf } from "../cached.ts";
import { unpackDebianPackages } from "../debian-packages.ts";
import { php84, phpIn, writePhp } from "./php84.ts";
import type { Php } from "./php84.ts";

const PACKAGES = ["php8.2-cli", "php8.2-curl", "php8.2-mbstring", "php8.2-xml"];
const EXTENSIONS =
  "ctype curl dom fileinfo iconv mbstring phar posix simplexml tokenizer xml xmlreader xmlwriter".split(" ");

/**
 * PHP 8.2 of Debian 12, the oldest that the SDK supports, with the programs and libraries of {@link php84}. Installed on the first
 * call of this machine. It can be had wherever PHP 8.4 can.
 */
export async function php82(): Promise<Php> {
  const newer = await php84();
  const recipe = digestOf(await readFile(fileURLToPath(import.meta.url)), newer.program);
  const home = await cachedAlone(`php82-${recipe}`, async (draft, place) => {
    await unpackDebianPackages(draft, { release: 12, names: PACKAGES });
    await writePhp(draft, place, { name: "php8.2", extensions: EXTENSIONS, libraries: newer.libraries });
  });
  return { ...newer, ...phpIn(home) };
}
