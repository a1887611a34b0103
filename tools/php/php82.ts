import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installAlone, unpackDebianPackages } from "../debian-packages.ts";
import { cacheFolder, run } from "../run.ts";
import { php84, writePhp } from "./php84.ts";
import type { Php } from "./php84.ts";

const PACKAGES = ["php8.2-cli", "php8.2-curl", "php8.2-mbstring", "php8.2-xml"];
const EXTENSIONS =
  "ctype curl dom fileinfo iconv mbstring phar posix simplexml tokenizer xml xmlreader xmlwriter".split(" ");

if (import.meta.main) await install();

/**
 * PHP 8.2 of Debian 12, the oldest that the SDK supports, with the programs and libraries of {@link php84}. Installed on the first
 * call of this machine. It can be had wherever PHP 8.4 can.
 */
export async function php82(): Promise<Php> {
  const newer = await php84();
  const home = await homeFolder();
  if (!existsSync(join(home, "complete"))) await installAlone(home, fileURLToPath(import.meta.url));
  const program = join(home, "bin", "php");
  return { ...newer, program, run: async (args, options) => await run(program, args, options) };
}

/** Returns the cached folder for the content of this file and the PHP 8.4. */
async function homeFolder(): Promise<string> {
  const { program } = await php84();
  const recipe = createHash("sha256")
    .update(await readFile(fileURLToPath(import.meta.url)))
    .update(program);
  return join(cacheFolder(), `php82-${recipe.digest("hex").slice(0, 16)}`);
}

async function install(): Promise<void> {
  const home = await homeFolder();
  if (existsSync(join(home, "complete"))) return;
  const { libraries } = await php84();
  const root = await unpackDebianPackages(home, { release: 12, names: PACKAGES });
  await writePhp(home, root, { name: "php8.2", extensions: EXTENSIONS, libraries });
  await mkdir(join(home, "complete"));
}
